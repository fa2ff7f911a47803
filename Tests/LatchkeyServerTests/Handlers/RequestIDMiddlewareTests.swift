import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Request ids` {
    /// A handler that responds with the request's id.
    private struct Echo: HTTPHandler {
        func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
            await Task.yield()
            return HTTP.Response(200, body: Array((RequestID.current ?? "").utf8))
        }
    }

    private let naming = RequestIDMiddleware(Echo(), trusting: ["10.0.0.0/8"], random: SystemRandom())

    private func respond(_ id: String?, from host: String) async -> (field: String, inside: String) {
        var request = HTTP.Request(.get, "/")
        if let id { request.headers["X-Request-ID"] = id }
        let response = await naming.respond(to: request, from: PeerAddress(host: host, port: 1))
        #expect(response.headers.all("X-Request-Id").count == 1)
        return (response.headers["X-Request-Id"] ?? "", String(decoding: response.body, as: UTF8.self))
    }

    @Test func `The handler and the response have the same request id`() async {
        let first = await respond(nil, from: "192.0.2.1")
        let second = await respond(nil, from: "192.0.2.1")
        let other = RequestIDMiddleware(Echo(), trusting: [], random: SystemRandom())
        let elsewhere = await other.respond(to: HTTP.Request(.get, "/"), from: .inProcess)

        #expect(first.field == first.inside)
        #expect(first.field != second.field)
        #expect(elsewhere.headers["X-Request-Id"]?.prefix(16) != first.field.prefix(16))
        #expect(RequestID.isWellFormed(first.field))
        #expect(RequestID.current == nil)
    }

    @Test(arguments: [
        ("proxy-7:abc", "10.1.2.3", true),
        ("proxy-7:abc", "192.0.2.1", false),
        (String(repeating: "a", count: 128), "10.1.2.3", true),
        (String(repeating: "a", count: 129), "10.1.2.3", false),
        ("", "10.1.2.3", false),
        ("a b", "10.1.2.3", false),
        ("a\nSet-Cookie: b", "10.1.2.3", false),
        ("a\"b", "10.1.2.3", false),
        ("é", "10.1.2.3", false),
    ])
    func `A request id is only accepted from trusted proxies`(id: String, host: String, isKept: Bool)
        async
    {
        let answer = await respond(id, from: host)

        #expect((answer.field == id) == isKept)
        #expect(answer.inside == answer.field)
        #expect(RequestID.isWellFormed(answer.field))
    }

    @Test(arguments: [true, false])
    func `The response, the log and the audit log contain the same request id`(isTrusted: Bool) async throws {
        let lines = Locked<[String]>([])
        let time = VirtualTime()
        let log = Log(.trace, time: time) { line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        var configuration = ServerConfiguration(data: TemporaryFolder().path + "/data")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.logLevel = .trace
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        configuration.schemas.standard = "person"
        configuration.trustedProxies = isTrusted ? ["127.0.0.1"] : []
        let parts = ServerParts(time: time, random: SystemRandom(), log: log, terminal: { _ in })
        let server = IdentityServer(configuration: configuration, parts: parts)
        try await server.start()
        let admin = try RemoteOperator(url: try #require(server.adminURL), token: server.adminToken)

        var create = HTTP.Request(.post, "/admin/identities", headers: ["X-Request-ID": "from-outside-1"])
        create.headers["Content-Type"] = "application/json"
        create.body = Array(#"{"traits": {"email": "a@example.org", "phone": "+46701234567"}}"#.utf8)
        let created = try await admin.send(create)
        #expect(created.status == 201, "\(String(decoding: created.body, as: UTF8.self))")
        let id = try #require(created.headers["X-Request-Id"])
        let audit = try await admin.send(HTTP.Request(.get, "/admin/audit"))
        let missing = await server.handler.respond(
            to: HTTP.Request(.get, "/nowhere", headers: ["X-Request-ID": "from-outside-2"]),
            from: .inProcess
        )

        #expect((id == "from-outside-1") == isTrusted)
        #expect(String(decoding: audit.body, as: UTF8.self).contains(#""request_id":"\#(id)""#))
        let written = lines.withLock { $0 }
        #expect(written.contains { $0.contains(#""path":"/admin/identities""#) && $0.contains(id) })
        #expect(written.contains { $0.contains("from-outside-1") } == isTrusted)
        let envelope = try JSONCoding.decode(ErrorBody.self, from: missing.body).error
        #expect(envelope.request == "from-outside-2")
        #expect((missing.headers["X-Request-Id"] == "from-outside-2") == isTrusted)
        await server.stop()
    }
}
