import Foundation
import LatchkeyFoundation
import LatchkeyTestKit
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

    @Test func `The duration of an exchange can be limited, even for a single request`() async {
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

    @Test(arguments: [RequestLimits.noTimeout, .seconds(24 * 86_400), .seconds(1.6e20)])
    func `An exchange without a time limit needs no timer`(timeout: Duration) async throws {
        let sockets = try await SocketTestServer()
        for (transport, limits) in [
            (URLSessionTransport(timeout: timeout), RequestLimits()),
            (URLSessionTransport(), RequestLimits(timeout: timeout)),
        ] {
            let request = HTTP.Request(.get, "/a/self-service/login/api")
            let answer = try await transport.send(request, to: sockets.url, limits: limits)
            #expect(answer.status == 200)
        }
        await sockets.stop()
    }

    @Test func `The size of a single response is limited`() async throws {
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
