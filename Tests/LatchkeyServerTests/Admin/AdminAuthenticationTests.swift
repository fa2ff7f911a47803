import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer

@Suite(.timeLimit(.minutes(5))) struct `Admin listener` {
    private struct Ok: HTTPHandler {
        func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
            HTTP.Response(200)
        }
    }

    private static let token = Secret("a-token-of-22-bytes-xy")

    /// Routes with the declarations of the admin listener.
    private static let router = Router(
        [
            (Route.alive, .none), (Route.ready, .none), (Route.version, .none), ("/schemas", .none),
            ("/schemas/{}", .none), (MetricsEndpoint.path, .adminTokenUnlessOpen),
            (MetricsEndpoint.kratosPath, .adminTokenUnlessOpen), ("/openapi.json", .adminToken),
            ("/admin/identities", .adminToken),
        ].map { (path: String, credentials: RouteCredentials) in
            Endpoint(
                .get,
                path,
                below: .server,
                accepts: credentials,
                operation: APIOperation("test", "A test.", [])
            ) { _ in HTTP.Response(200) }
        },
        basePath: "",
        time: VirtualTime()
    )

    private let time = VirtualTime()
    private let lines = Locked<[String]>([])
    private let metrics = ServerMetrics()

    private func parts() -> ServerParts {
        let log = Log(.warning, time: time) { [lines] line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        return ServerParts(time: time, random: SystemRandom(), log: log, terminal: { _ in })
    }

    private func access(_ change: (inout AdminSettings) -> Void) throws -> AdminAccess {
        var configuration = AdminSettings()
        change(&configuration)
        return AdminAccess(
            configuration,
            tokens: try AdminTokens(configured: Self.token),
            router: Self.router
        )
    }

    private func listener(database: any Database) throws -> AdminAuthentication {
        AdminAuthentication(
            Ok(),
            access: try access { _ in },
            refusals: AdminRefusals(parts(), metrics: metrics, database: database)
        )
    }

    @Test func `Only rejected requests are delayed, and only a limited number at a time`() async throws {
        let server = try await TestServer()
        let listener = try listener(database: try #require(server.database))
        let most = AdminRefusals.mostDelayed
        func send(_ token: String?) async -> HTTP.Response {
            var request = HTTP.Request(.get, "/admin/identities", query: "access_token=\(Self.token.exposed)")
            request.headers["Authorization"] = token.map { "Bearer \($0)" }
            return await listener.respond(to: request, from: PeerAddress(host: "192.0.2.7", port: 1))
        }

        let refused = await withTaskGroup(of: HTTP.Response.self) { group in
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
        let challenges = refused.map { $0.headers.all("WWW-Authenticate") }
        let realm = #"Bearer realm="Latchkey administration""#
        #expect(challenges.count { $0 == [realm] } == 1)
        #expect(challenges.count { $0 == [realm + #", error="invalid_token""#] } == most - 1)
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

    @Test func `Sending a delayed rejection frees its slot`() async throws {
        let server = try await TestServer()
        var parts = parts()
        parts.adminDelay = .zero
        let refusals = AdminRefusals(parts, metrics: metrics, database: try #require(server.database))

        for _ in 0...AdminRefusals.mostDelayed {
            let peer = PeerAddress(host: "192.0.2.1", port: 1)
            let answer = await refusals.answer(.wrongToken, to: HTTP.Request(.get, "/x"), from: peer)
            #expect(answer.status == 401)
        }
        await server.stop()
    }

    @Test func `The audit log records rejections from at most a hundred addresses a minute`() async throws {
        let server = try await TestServer()
        let database = try #require(server.database)
        var parts = parts()
        parts.adminDelay = .zero
        let refusals = AdminRefusals(parts, metrics: metrics, database: database)
        func refuse(_ number: Int) async throws -> Int {
            let peer = PeerAddress(host: "192.0.2.\(number)", port: 1)
            _ = await refusals.answer(.wrongToken, to: HTTP.Request(.get, "/x"), from: peer)
            return try await AuditLog.events(limit: 200, in: database).count
        }

        for number in 1...100 { #expect(try await refuse(number) == number) }
        #expect(try await refuse(101) == 100)
        time.advance(by: AdminRefusals.auditInterval)
        #expect(try await refuse(101) == 101)
        // The interval also ends if the clock is set back.
        time.stepWallClock(by: .seconds(-7200))
        time.advance(by: AdminRefusals.auditInterval)
        #expect(try await refuse(101) == 102)
        await server.stop()
    }

    @Test(
        arguments: [
            (["Authorization: Bearer <token>"], nil, nil),
            (["Authorization: bEARER <token>"], nil, nil),
            (["Authorization: Bearer   <token>"], nil, nil),
            (["Authorization: Bearer <token>", "Host: a.example", "Origin: https://a.example"], nil, nil),
            (["Authorization: Bearer <token>", "Authorization: Bearer <token>"], .wrongToken, .wrongToken),
            (["Authorization: Bearer x", "Authorization: Bearer <token>"], .wrongToken, .wrongToken),
            (["Authorization: Bearer A-TOKEN-OF-22-BYTES-XY"], .wrongToken, .wrongToken),
            (["Authorization: Bearer a-token-of-22-bytes-x"], .wrongToken, .wrongToken),
            (["Authorization: Bearer <token>z"], .wrongToken, .wrongToken),
            (["Authorization: Bearer\t<token>"], .wrongToken, .wrongToken),
            (["Authorization: Bearer "], .wrongToken, .wrongToken),
            (["Authorization: Bearer"], .wrongToken, .wrongToken),
            (["Authorization: Basic <token>", "Host: localhost"], .wrongToken, .wrongToken),
            (["Authorization: <token>", "Host: localhost"], .wrongToken, .wrongToken),
            (["Host: localhost:4434"], .missingToken, nil),
            (["Host: localhost", "Sec-Fetch-Site: none"], .missingToken, nil),
            ([], .missingToken, .foreignHost),
            (["Host: a.example"], .missingToken, .foreignHost),
            (["Host: localhost", "Host: localhost"], .missingToken, .foreignHost),
            (["Host: localhost", "Origin: http://localhost"], .missingToken, .crossSite),
            (["Host: localhost", "Sec-Fetch-Site: same-origin"], .missingToken, .crossSite),
            (
                ["Host: localhost", "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"], .missingToken,
                .crossSite
            ),
        ] as [([String], AdminRefusal?, AdminRefusal?)]
    )
    func `A closed listener requires the token, and an open one requires a local caller`(
        fields: [String],
        closed: AdminRefusal?,
        opened: AdminRefusal?
    ) throws {
        var request = HTTP.Request(.get, "/admin/identities")
        request.headers.fields = fields.map { field in
            let parts = field.split(separator: ": ", maxSplits: 1)
            let value = String(parts[1]).replacing("<token>", with: Self.token.exposed)
            return HTTP.Headers.Field(name: String(parts[0]), value: value)
        }
        for (isOpen, refusal) in [(false, closed), (true, opened)] {
            let access = try access { $0.open = isOpen }
            #expect(access.refusal(of: request) == refusal)
        }
    }

    @Test(arguments: [
        ("/health/alive", true, true), ("/health/ready", true, true), ("/version", true, true),
        ("/schemas", true, true), ("/schemas/person", true, true),
        (MetricsEndpoint.path, false, true), (MetricsEndpoint.kratosPath, false, true),
        ("/openapi.json", false, false), ("/admin/identities", false, false), ("/nowhere", false, false),
        ("/schemas/../admin/identities", false, false), ("/Health/alive", false, false),
        ("/health/alive/../../admin/identities", false, false),
    ])
    func `Health, version, schemas and open metrics do not require the token`(
        path: String,
        isShown: Bool,
        isShownWithMetrics: Bool
    ) throws {
        let request = HTTP.Request(.get, path)
        let (usual, open) = (try access { _ in }, try access { $0.metrics = .open })
        #expect((usual.refusal(of: request) == nil) == isShown)
        #expect((open.refusal(of: request) == nil) == isShownWithMetrics)
    }

    @Test(arguments: [
        (["application/json"], 200), (["Application/JSON ; charset=utf-8"], 200),
        (["application/json-patch+json"], 200), (["text/plain"], 415), (["text/plain;application/json"], 415),
        (["application/json x"], 415), (["application/json", "text/plain"], 415), ([], 415),
    ])
    func `Only JSON bodies are accepted, even with the token`(types: [String], status: Int)
        async throws
    {
        let server = try await TestServer()
        var parts = parts()
        parts.adminDelay = .zero
        let listener = AdminAuthentication(
            Ok(),
            access: try access { _ in },
            refusals: AdminRefusals(parts, metrics: metrics, database: try #require(server.database))
        )
        var request = HTTP.Request(.post, "/admin/identities", body: Array("{}".utf8))
        request.headers.fields = types.map { HTTP.Headers.Field(name: "Content-Type", value: $0) }
        #expect(await listener.respond(to: request, from: .inProcess).status == 401)
        request.headers["Authorization"] = "Bearer \(Self.token.exposed)"
        #expect(await listener.respond(to: request, from: .inProcess).status == status)
        await server.stop()
    }

    @Test func `The audit log records rejections from an address once a minute`() async throws {
        let server = try await TestServer()
        let database = try #require(server.database)
        var parts = parts()
        parts.adminDelay = .zero
        let refusals = AdminRefusals(parts, metrics: metrics, database: database)
        func refuse(_ refusal: AdminRefusal, from host: String) async {
            let peer = PeerAddress(host: host, port: 1)
            _ = await refusals.answer(refusal, to: HTTP.Request(.get, "/x"), from: peer)
        }

        for _ in 0..<5 { await refuse(.wrongToken, from: "192.0.2.1") }
        await refuse(.missingToken, from: "192.0.2.2")
        time.advance(by: AdminRefusals.auditInterval)
        await refuse(.crossSite, from: "192.0.2.1")

        let events = try await AuditLog.events(limit: 10, in: database)
        let found = events.map { "\($0.action.rawValue) \($0.subject ?? "") \($0.address ?? "")" }
        #expect(found.first == "admin.refused cross_site 192.0.2.1")
        #expect(
            found.dropFirst().sorted() == [
                "admin.refused missing_token 192.0.2.2", "admin.refused wrong_token 192.0.2.1",
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
    func `The names of the local machine are recognized`(host: String, isLoopback: Bool) {
        #expect(Loopback.contains(authority: host) == isLoopback)
    }
}
