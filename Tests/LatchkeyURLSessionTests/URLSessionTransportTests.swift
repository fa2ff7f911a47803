import LatchkeyTestKit
import LatchkeyURLSession
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `URLSession transport` {
    @Test func `The transport passes the conformance checks`() async {
        let violations = await TransportConformance(
            bodyLimit: 100_000,
            exemptions: [.dotSegments, .bodiesOfGET]
        ) { _, _ in
            URLSessionTransport(timeout: .seconds(240), bodyLimit: 100_000)
        }.violations()

        #expect(violations == [])
    }

    @Test(arguments: ["/.", "/..", "/a/./b", "/%2e%2E/b", "/a/.%2e"])
    func `Paths that URLSession would change are rejected`(path: String) async {
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(HTTP.Request(.get, path), to: "https://nobody.invalid")
        }
        #expect(error?.code == .invalidRequest && error?.neverSent == true)
    }

    @Test func `The error for an unknown host says that the request was never sent`() async {
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                HTTP.Request(.post, "/secret1", query: "secret2", body: Array("secret3".utf8)),
                to: "https://nobody.invalid"
            )
        }
        #expect(error?.code == .unreachable && error?.neverSent == true)
        #expect(error?.message.hasPrefix("nobody.invalid: ") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }
}
