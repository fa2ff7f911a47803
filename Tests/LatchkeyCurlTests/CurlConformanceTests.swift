import LatchkeyCore
import LatchkeyCurl
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `libcurl transport conformance` {
    @Test func `The transport passes the conformance checks`() async {
        let violations = await TransportConformance(bodyLimit: 100_000) { _, _ in
            var options = CurlOptions.patient
            options.bodyLimit = 100_000
            return try CurlTransport(options: options)
        }.violations()

        #expect(violations == [])
    }

    @Test func `The transport passes the conformance checks with an exchange observer`() async {
        let violations = await TransportConformance { origin, _ in
            RecordingTransport(
                try CurlTransport(options: .patient),
                server: origin,
                recorder: ExchangeRecorder { _ in }
            )
        }.violations()

        #expect(violations == [])
    }
}
