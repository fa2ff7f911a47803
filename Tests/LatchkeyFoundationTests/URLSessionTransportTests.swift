import Foundation
import LatchkeyFoundation
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `URLSession transport` {
    @Test func `passes the conformance checks of a transport`() async {
        let violations = await TransportConformance(
            bodyLimit: 100_000,
            exemptions: [.dotSegments, .bodiesOfGET]
        ) { _, _ in
            URLSessionTransport(timeout: .seconds(240), bodyLimit: 100_000)
        }.violations()

        #expect(violations == [])
    }

    @Test(arguments: ["/.", "/..", "/a/./b", "/%2e%2E/b", "/a/.%2e"])
    func `rejects paths that URLSession would change`(path: String) async {
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(HTTP.Request(.get, path), to: "https://nobody.invalid")
        }
        #expect(error?.code == .invalidRequest && error?.neverSent == true)
    }

    @Test func `reports that nothing was sent if the host is unknown`() async {
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

    @Test func `limits the time of an exchange, also for one request`() async {
        let server = SilentServer()
        for (timeout, limits) in [
            (Duration.milliseconds(50), RequestLimits()),
            (.seconds(240), RequestLimits(timeout: .milliseconds(50))),
        ] {
            let transport = URLSessionTransport(timeout: timeout)
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(HTTP.Request(.get, "/"), to: server.origin, limits: limits)
            }
            #expect(error?.code == .timedOut && error?.neverSent == false)
        }
    }

    @Test func `limits the size of one response`() async throws {
        let sockets = try await SocketTestServer()
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                HTTP.Request(.get, "/a/self-service/login/api"),
                to: sockets.url,
                limits: RequestLimits(bodyLimit: 100)
            )
        }
        #expect(error?.code == .invalidAnswer)
        await sockets.stop()
    }
}
