import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

/// The exchange of an app's session for a code, and the requests that are refused.
@Suite("Exchanges of sessions for codes", .onEachDatabase)
struct HandoverExchangeTests {
    private static let types = [TokenType.webSessionCode, .authorizationCode]

    @Test func `An app gets a code that lasts for a minute, and only its hash is stored`() async throws {
        let server = try await HandoverServer()
        let answer = await server.exchange()
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer["issued_token_type"] == .string(TokenType.webSessionCode.rawValue))
        #expect(answer["token_type"] == "N_A" && answer["expires_in"] == 60)
        #expect(answer["refresh_token"] == nil)
        #expect(answer.response.headers["Cache-Control"] == "no-store")
        let hash = HandoverCode(presented: Secret(answer.accessToken)).hash
        let rows = try await server.provider.database.rows("SELECT code_hash FROM handover_codes")
        #expect(try rows.map { try $0.blob(0) } == [hash])
        #expect(try await server.people.actions(of: server.identity).contains(.handoverBegun))
        // The app may also name itself.
        #expect(await server.exchange(with: ["client_id": "app"]).status == 200)
    }

    /// A request that differs from a valid one.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let changes: [String: String?]
        let error: String
        var type: TokenType?

        var testDescription: String { name }

        init(_ name: String, _ changes: [String: String?], _ error: String, only type: TokenType? = nil) {
            (self.name, self.changes, self.error, self.type) = (name, changes, error, type)
        }
    }

    static let rows: [Row] = [
        Row("no subject token", ["subject_token": nil], "invalid_request"),
        Row("an unknown token", ["subject_token": "lk_st_x"], "invalid_request"),
        Row("no subject type", ["subject_token_type": nil], "invalid_request"),
        Row(
            "the type of an access token",
            ["subject_token_type": TokenType.accessToken.rawValue],
            "invalid_request"
        ),
        Row("an actor", ["actor_token": "x"], "invalid_request"),
        Row("a resource", ["resource": "https://api.example.com"], "invalid_request"),
        Row("no target", ["audience": nil], "invalid_request"),
        Row("an unknown target", ["audience": "unknown"], "invalid_target"),
        Row("a disabled target", ["audience": "off"], "invalid_target"),
        Row("a target that doesn't list the app", ["audience": "other"], "invalid_target"),
        Row("a target for other accounts", ["audience": "business"], "invalid_target"),
        Row("the app itself", ["audience": "app"], "invalid_target"),
        Row("no redirect", ["redirect_uri": nil], "invalid_request"),
        Row("another redirect", ["redirect_uri": "https://evil.example"], "invalid_request"),
        Row("a longer redirect", ["redirect_uri": HandoverServer.callback + "/"], "invalid_request"),
        Row(
            "a loopback redirect with another port",
            ["audience": "tool", "redirect_uri": "http://127.0.0.1:8080/callback"],
            "invalid_request"
        ),
        Row("scopes", ["scope": "openid"], "invalid_scope", only: .webSessionCode),
        Row("unknown scopes", ["scope": "other"], "invalid_scope", only: .authorizationCode),
        Row("a target without a secret", ["audience": "public"], "invalid_target", only: .authorizationCode),
        Row("an unknown client", ["client_id": "unknown"], "invalid_client"),
        Row(
            "another client",
            ["client_id": "other", "client_secret": "lk_cs_secret"],
            "unauthorized_client"
        ),
        Row("a wrong secret", ["client_id": "shop", "client_secret": "x"], "invalid_client"),
    ]

    private func server() async throws -> HandoverServer {
        let server = try await HandoverServer()
        let listing = #""first_party": true, "handover_from": ["app"]"#
        _ = try await server.provider.client("off", own: listing + #", "disabled": true"#)
        _ = try await server.provider.client("other", own: #""handover_from": ["another"]"#)
        _ = try await server.provider.client("business", own: listing + #", "schemas": ["customer"]"#)
        _ = try await server.provider.client("public", secret: nil, own: listing)
        _ = try await server.provider.client(
            "tool",
            redirect: "http://127.0.0.1/callback",
            own: listing,
            #""application_type": "native""#
        )
        return server
    }

    @Test func `Requests with anything wrong get no code`() async throws {
        let server = try await server()
        for row in Self.rows {
            for type in Self.types where row.type == nil || row.type == type {
                let answer = await server.exchange(type, with: row.changes)
                #expect(answer.oauthError == row.error, "\(row.name): \(answer.body)")
                #expect(answer.status == (row.error == "invalid_client" ? 401 : 400), "\(row.name)")
            }
        }
        let unknown = await server.exchange(with: ["audience": "unknown"])
        for audience in ["off", "other", "business", "app"] {
            let answer = await server.exchange(with: ["audience": audience])
            #expect(answer.response.body == unknown.response.body, "\(audience)")
        }
        #expect(try await server.codes() == 0)
        #expect(try await server.provider.count("grants") == 0)
        // A public site can be opened, and a loopback redirect is compared as a whole.
        #expect(await server.exchange(with: ["audience": "public"]).status == 200)
    }

    @Test(arguments: HandoverExchangeTests.types)
    func `A session that isn't the app's own gets no code`(type: TokenType) async throws {
        let server = try await server()
        _ = try await server.provider.client("another")
        let browser = PageVisitor(server.people)
        try await browser.logIn()
        let cookie = try #require(browser.browser.cookies[TestBrowser.sessionCookie])
        let accessToken = try await server.site.tokens(of: browser).accessToken
        let ended = try await server.logIn()
        _ = try await server.people.logOut(ended)
        let without = try await server.logIn(client: nil)
        let others = try await server.logIn(client: "another")
        for (token, error) in [
            (cookie, "invalid_request"), (accessToken, "invalid_request"), (ended, "invalid_request"),
            (without, "invalid_target"), (others, "invalid_target"),
        ] {
            #expect(await server.exchange(type, token: token).oauthError == error)
        }
        // The app's client was removed since.
        #expect(await server.operate(.delete, "/admin/clients/app").status == 204)
        #expect(await server.exchange(type).oauthError == "invalid_target")
        #expect(try await server.codes() == 0)
    }

    @Test func `An account whose devices need a certificate can't be handed over to a browser`() async throws
    {
        let server = try await HandoverServer()
        try await server.provider.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET schema_id = 'customer'")
        }
        #expect(await server.exchange().oauthError == "invalid_request")
        #expect(await server.exchange(.authorizationCode).status == 200)
        try await server.provider.database.transaction { transaction in
            _ = try transaction.execute("UPDATE sessions SET needs_certificate = 1")
        }
        #expect(await server.exchange(.authorizationCode).oauthError == "invalid_request")
    }

    @Test(arguments: HandoverExchangeTests.types)
    func `A token that was replaced by a re-authentication gets no code`(type: TokenType) async throws {
        let server = try await HandoverServer()
        let flow = await server.people.begin(.login, "?refresh=true", token: server.token)
        let body = JSONValue.object([
            "method": "password", "identifier": "person1@example.org",
            "password": .string(SelfServiceServer.password),
        ])
        let answer = try await server.people.submit(.login, flow, body, token: server.token)
        let renewed = try #require(answer.sessionToken, "\(answer.body)")
        #expect(await server.isAlive(server.token))
        #expect(await server.exchange(type).oauthError == "invalid_request")
        #expect(try await server.codes() == 0)
        #expect(await server.exchange(type, token: renewed).status == 200)
    }

    @Test(arguments: HandoverExchangeTests.types)
    func `A session that is bound to a key needs a proof of the key`(type: TokenType) async throws {
        let server = try await HandoverServer()
        let (key, other) = (try SigningKey.generate(), try SigningKey.generate())
        try await server.provider.database.transaction {
            [thumbprint = key.publicKey.thumbprint] transaction in
            _ = try transaction.execute("UPDATE sessions SET key_thumbprint = $1", .blob(thumbprint))
        }
        func proof(_ key: SigningKey) throws -> String {
            let proof = DPoPProof(
                method: .post,
                url: ProviderServer.issuer + Route.token,
                id: Identifier().description,
                issuedAt: server.time.now
            )
            return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
        }
        #expect(await server.exchange(type).oauthError == "invalid_dpop_proof")
        #expect(await server.exchange(type, proof: try proof(other)).oauthError == "invalid_dpop_proof")
        #expect(await server.exchange(type, proof: "x").oauthError == "invalid_dpop_proof")
        let own = try proof(key)
        // A request that is refused doesn't use the proof up.
        let refused = await server.exchange(type, with: ["audience": "unknown"], proof: own)
        #expect(refused.oauthError == "invalid_target")
        #expect(await server.exchange(type, proof: own).status == 200)
        #expect(await server.exchange(type, proof: own).oauthError == "use_dpop_nonce")
    }

    @Test(arguments: HandoverExchangeTests.types, ["app", "shop"])
    func `A duty that blocks at either client gets no code`(type: TokenType, client: String) async throws {
        let source = BlockingSource()
        let server = try await HandoverServer(dutySources: [source])
        source.set(.blocking, at: client)
        let refused = await server.exchange(type)
        #expect(refused.status == 400 && refused.oauthError == "interaction_required")
        #expect(refused["duty"] == "complete_profile")
        #expect(await server.isAlive(server.token))
        #expect(try await server.codes() == 0)
        source.set(.open, at: client)
        #expect(await server.exchange(type).status == 200)
    }

    @Test func `The codes of a session and of a network are limited`() async throws {
        let server = try await HandoverServer { configuration in
            configuration.limits.handoversPerSession = [Rate(2, per: .seconds(3600))]
            configuration.limits.handoversPerAddress = [Rate(3, per: .seconds(3600))]
        }
        #expect(await server.exchange().status == 200)
        #expect(await server.exchange(.authorizationCode).status == 200)
        #expect(await server.exchange(from: "203.0.113.1").status == 429)
        let other = try await server.logIn()
        #expect(await server.exchange(token: other).status == 200)
        let limited = await server.exchange(token: other)
        #expect(limited.status == 429 && limited.response.headers["Retry-After"] != nil)
        #expect(await server.exchange(token: other, from: "203.0.113.1").status == 200)
        server.time.advance(by: .seconds(3601))
        #expect(await server.exchange().status == 200)
    }

    @Test func `Codes that no browser has used are deleted`() async throws {
        let server = try await HandoverServer()
        _ = try await server.code()
        for (seconds, count) in [(59, 1), (1, 0)] as [(Int, Int64)] {
            server.time.advance(by: .seconds(seconds))
            let now = server.time.now
            _ = try await server.provider.database.transaction { transaction in
                try HandoverRepository.deleteExpired(at: now, atMost: 10, in: transaction)
            }
            #expect(try await server.codes() == count)
        }
    }
}
