import LatchkeyCore
import LatchkeyCurl
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `libcurl transport conformance` {
    @Test func `passes the conformance checks of a transport`() async {
        let violations = await TransportConformance(bodyLimit: 100_000) { _, _ in
            var options = CurlOptions.patient
            options.bodyLimit = 100_000
            return try CurlTransport(options: options)
        }.violations()

        #expect(violations == [])
    }

    @Test func `passes the conformance checks of a transport with an exchange observer`() async {
        let violations = await TransportConformance { origin, _ in
            RecordingTransport(try CurlTransport(options: .patient), server: origin) { _ in }
        }.violations()

        #expect(violations == [])
    }
}
