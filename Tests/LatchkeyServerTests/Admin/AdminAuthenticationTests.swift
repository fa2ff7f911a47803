import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer

@Suite struct `The admin listener` {
    private struct Ok: HTTPHandler {
        func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
            HTTPResponse(200)
        }
    }

    private static let token = Secret("a-token-of-22-bytes-xy")

    private let time = VirtualTime()
    private let lines = Locked<[String]>([])
    private let metrics = ServerMetrics()

    private func parts() -> ServerParts {
        let log = Log(.warning, time: time) { [lines] line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        return ServerParts(time: time, random: SystemRandom(), log: log, terminal: { _ in })
    }

    private func listener(
        database: any Database,
        _ change: (inout ServerConfiguration.Admin) -> Void = { _ in }
    ) throws -> AdminAuthentication {
        var configuration = ServerConfiguration.Admin()
        change(&configuration)
        let tokens = try AdminTokens(configured: Self.token)
        return AdminAuthentication(
            Ok(),
            access: AdminAccess(configuration, tokens: tokens),
            refusals: AdminRefusals(parts(), metrics: metrics, database: database)
        )
    }

    @Test func `holds back a bounded number of refusals, and none of the answers to the token`() async throws
    {
        let server = try await TestServer()
        let listener = try listener(database: try #require(server.database))
        let most = AdminRefusals.mostDelayed
        func send(_ token: String?) async -> HTTPResponse {
            var request = HTTPRequest(.get, "/admin/identities", query: "access_token=\(Self.token.exposed)")
            request.headers["Authorization"] = token.map { "Bearer \($0)" }
            return await listener.respond(to: request, from: PeerAddress(host: "192.0.2.7", port: 1))
        }

        let refused = await withTaskGroup(of: HTTPResponse.self) { group in
            for number in 0..<most { group.addTask { await send(number == 0 ? nil : "guess-\(number)") } }
            await time.sleepers(atLeast: most)
            let beyond = await send("guess")
            #expect(beyond.status == 429)
            #expect(beyond.headers["Retry-After"] == "1")
            #expect(await send(Self.token.exposed).status == 200)
            time.advance(by: .seconds(1))
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(refused.map(\.status) == Array(repeating: 401, count: most))
        #expect(refused.allSatisfy { $0.headers["WWW-Authenticate"] == "Bearer" })
        let written = lines.withLock { $0 }
        #expect(written.count == most)
        for line in written {
            #expect(line.contains(#""event":"admin.refused""#))
            #expect(line.contains(#""path":"/admin/identities","peer":"192.0.2.7""#))
            #expect(!line.contains("guess") && !line.contains(Self.token.exposed))
        }
        var text = MetricsText()
        metrics.write(to: &text)
        #expect(text.text.contains(#"latchkey_admin_refusals_total{reason="wrong_token"} \#(most)"#))
        #expect(text.text.contains(#"latchkey_admin_refusals_total{reason="missing_token"} 1"#))
        await server.stop()
    }

    @Test func `writes refusals of one address to the audit log once a minute`() async throws {
        let server = try await TestServer()
        let database = try #require(server.database)
        var parts = parts()
        parts.adminDelay = .zero
        let refusals = AdminRefusals(parts, metrics: metrics, database: database)
        func refuse(_ refusal: AdminRefusal, from host: String) async {
            let peer = PeerAddress(host: host, port: 1)
            _ = await refusals.answer(refusal, to: HTTPRequest(.get, "/x"), from: peer)
        }

        for _ in 0..<5 { await refuse(.wrongToken, from: "192.0.2.1") }
        await refuse(.missingToken, from: "192.0.2.2")
        time.advance(by: AdminRefusals.auditInterval)
        await refuse(.crossSite, from: "192.0.2.1")

        let events = try await AuditLog.events(limit: 10, in: database)
        let found = events.map { "\($0.deed.rawValue) \($0.subject ?? "") \($0.address ?? "")" }
        #expect(found.first == "admin.refused cross_site 192.0.2.1")
        #expect(
            Set(found.dropFirst()) == [
                "admin.refused wrong_token 192.0.2.1", "admin.refused missing_token 192.0.2.2",
            ]
        )
        await server.stop()
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST:4434", true), ("127.0.0.1:4434", true), ("127.255.0.1", true),
        ("[::1]", true), ("[::1]:4434", true), ("localhost:", true), ("", false), ("::1", false),
        ("example.com", false), ("127.0.0.1.example.com", false), ("127.example.com:4434", false),
        ("127.1", false), ("[localhost]", false), ("localhost:80:80", false), ("localhost:x", false),
        ("[::1]x", false), ("[::1", false), ("user@localhost", false), ("0.0.0.0", false), ("[::]", false),
    ])
    func `knows the names of its own machine`(host: String, isLoopback: Bool) {
        #expect(Loopback.contains(authority: host) == isLoopback)
    }
}
