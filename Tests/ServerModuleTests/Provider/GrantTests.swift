import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

@Suite("Codes and tokens of clients", .onEachDatabase)
struct GrantTests {
    private static let mail = "person1@example.org"
    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer()
        shop = try await server.client()
    }

    /// Returns a proof for a request to the server.
    private func proof(_ key: SigningKey, at path: String = Route.token, token: String? = nil) throws
        -> String
    {
        var proof = DPoPProof(
            method: path == Route.userInfo ? .get : .post,
            url: ProviderServer.issuer + path,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        proof.accessTokenHash = token.map { SHA256.hash(Array($0.utf8)) }
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    // MARK: Codes

    @Test func `A request with anything wrong doesn't use up the code`() async throws {
        let other = try await server.client("other")
        let visitor = try await server.signedUp()
        let code = try await shop.authorize(visitor)
        let verifier = String(repeating: "v", count: 43)
        let wrong: [(String, Answer)] = [
            ("verifier", await shop.redeem(code, with: ["code_verifier": verifier])),
            ("no verifier", await shop.redeem(code, with: ["code_verifier": nil])),
            ("redirect", await shop.redeem(code, with: ["redirect_uri": ProviderServer.callback + "/x"])),
            ("client", await other.redeem(code)),
            ("code", await shop.redeem(code + "x")),
        ]
        for (name, answer) in wrong {
            #expect(answer.status == 400, "\(name)")
            #expect(answer.oauthError == "invalid_grant", "\(name)")
        }
        #expect(await shop.redeem(code, with: ["client_secret": "lk_cs_wrong"]).status == 401)
        #expect(await shop.redeem(code, with: ["redirect_uri": nil]).oauthError == "invalid_request")
        #expect(await shop.redeem(code, with: ["code_verifier": "short"]).oauthError == "invalid_request")
        #expect(await shop.redeem(code).status == 200)
    }

    @Test func `A copied code can't end the login of another user`() async throws {
        let visitor = try await server.signedUp()
        let code = try await shop.authorize(visitor)
        let tokens = await shop.redeem(code)
        let thief = await shop.redeem(code, with: ["code_verifier": String(repeating: "v", count: 43)])
        #expect(thief.oauthError == "invalid_grant")
        let other = try await server.client("other")
        #expect(await other.redeem(code).oauthError == "invalid_grant")
        let elsewhere = await shop.redeem(code, with: ["redirect_uri": ProviderServer.callback + "/x"])
        #expect(elsewhere.oauthError == "invalid_grant")
        #expect(await shop.userInfo(tokens.accessToken).status == 200)
        // The client itself ends the grant, because it can't tell the code from a copy.
        #expect(await shop.redeem(code).oauthError == "invalid_grant")
        #expect(await shop.userInfo(tokens.accessToken).status == 401)
        #expect(await shop.refresh(try #require(tokens.refreshToken)).oauthError == "invalid_grant")
    }

    @Test func `A code expires after a minute`() async throws {
        let visitor = try await server.signedUp()
        let code = try await shop.authorize(visitor)
        server.time.advance(by: .seconds(60))
        #expect(await shop.redeem(code).oauthError == "invalid_grant")
    }

    @Test func `Without a challenge, a verifier is refused`() async throws {
        let open = try await server.client("open", own: #""pkce": "optional""#)
        let visitor = try await server.signedUp()
        let none: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
        let code = try await open.authorize(visitor, with: none)
        #expect(await open.redeem(code).oauthError == "invalid_grant")
        #expect(await open.redeem(code, with: ["code_verifier": nil]).status == 200)
    }

    // MARK: Tokens

    @Test func `Tokens contain the account, the methods, the time of the login and the client`() async throws
    {
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        let (access, id) = (tokens.accessClaims, tokens.idClaims)
        #expect(access["client_id"] == "shop")
        #expect(access["scope"] == "openid profile email offline_access")
        #expect(access["aud"] == .array([.string(ProviderServer.issuer)]))
        #expect(access["iss"] == .string(ProviderServer.issuer))
        #expect(access["sid"] == nil)
        for claims in [access, id] {
            #expect(claims["sub"] == id["sub"])
            #expect(claims["amr"] == .array(["pwd"]))
            #expect(claims["acr"] == "aal1")
            #expect(claims["auth_time"] == .integer(server.time.now.seconds))
        }
        #expect(id["email"] == .string(Self.mail))
        #expect(id["email_verified"] == .bool(false))
        #expect(id["exp"] == .integer(server.time.now.seconds + 3600))
        let info = await shop.userInfo(tokens.accessToken)
        #expect(info["email"] == .string(Self.mail))
        #expect(info["sub"] == id["sub"])
        #expect(info["phone_number"] == nil)
    }

    @Test func `The token of a client opens no route of an account`() async throws {
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        for path in ["/sessions/whoami", "/account/export", "/account/clients", "/sessions"] {
            #expect(await server.people.get(path, token: tokens.accessToken).status == 401, "\(path)")
        }
        let secret = try #require(visitor.browser.cookies[TestBrowser.sessionCookie])
        #expect(await shop.userInfo(secret).status == 401)
    }

    @Test func `The id latchkey belongs to this server's own apps`() async throws {
        let visitor = try await server.signedUp()
        let own = try await server.client("latchkey")
        // A client that was registered before the setting was changed is unknown.
        try await visitor.open(own.address())
        #expect(visitor.response.status == 400)
        #expect(visitor.location == nil)
    }

    @Test func `Userinfo accepts one token, in the header`() async throws {
        let visitor = try await server.signedUp()
        let token = try await shop.tokens(of: visitor).accessToken
        let rows: [(String, HTTP.Request, Int)] = [
            ("none", HTTP.Request(.get, Route.userInfo), 401),
            ("query", HTTP.Request(.get, Route.userInfo, query: "access_token=\(token)"), 400),
            ("body", HTTP.Request(form: [("access_token", token)], to: Route.userInfo), 400),
            (
                "both",
                HTTP.Request(
                    .get,
                    Route.userInfo,
                    query: "access_token=x",
                    headers: ["Authorization": "Bearer \(token)"]
                ), 400
            ),
            (
                "DPoP scheme",
                HTTP.Request(.get, Route.userInfo, headers: ["Authorization": "DPoP \(token)"]),
                401
            ),
            (
                "changed",
                HTTP.Request(.get, Route.userInfo, headers: ["Authorization": "Bearer \(token.dropLast())"]),
                401
            ),
            (
                "header", HTTP.Request(.post, Route.userInfo, headers: ["Authorization": "Bearer \(token)"]),
                200
            ),
        ]
        for (name, request, status) in rows {
            let answer = await server.people.send(request)
            #expect(answer.status == status, "\(name) \(answer.body)")
            if status == 401 { #expect(answer.response.headers["WWW-Authenticate"] != nil, "\(name)") }
        }
        server.time.advance(by: .seconds(600))
        #expect(await shop.userInfo(token).status == 401)
    }

    @Test func `Without the scope openid there is no ID token and no userinfo`() async throws {
        let plain = try await server.client("plain", scope: "profile offline_access")
        let visitor = try await server.signedUp()
        let tokens = try await plain.tokens(of: visitor)
        #expect(tokens["id_token"] == nil)
        let info = await plain.userInfo(tokens.accessToken)
        #expect(info.status == 403)
        #expect(info.oauthError == "insufficient_scope")
    }

    // MARK: Refresh

    @Test func `A lost answer is repeated for a minute, and a copied token ends the grant`() async throws {
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        let first = try #require(tokens.refreshToken)
        let second = try #require(await shop.refresh(first).refreshToken)
        #expect(await shop.refresh(first).refreshToken == second)
        server.time.advance(by: .seconds(59))
        #expect(await shop.refresh(first).refreshToken == second)
        let third = try #require(await shop.refresh(second).refreshToken)
        #expect(await shop.refresh(first).oauthError == "invalid_grant")
        #expect(await shop.refresh(third).oauthError == "invalid_grant")
    }

    @Test func `Without retries, a token that is used twice ends the grant`() async throws {
        let strict = try await ProviderServer { $0.provider.refreshRetry = .zero }
        let shop = try await strict.client()
        let tokens = try await shop.tokens(of: try await strict.signedUp())
        let first = try #require(tokens.refreshToken)
        let second = try #require(await shop.refresh(first).refreshToken)
        #expect(await shop.refresh(first).oauthError == "invalid_grant")
        #expect(await shop.refresh(second).oauthError == "invalid_grant")
    }

    @Test func `A refresh can narrow the access token, but never the grant`() async throws {
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        let narrow = await shop.refresh(try #require(tokens.refreshToken), with: ["scope": "openid"])
        #expect(narrow["scope"] == "openid")
        #expect(narrow.idClaims["email"] == nil)
        let wide = await shop.refresh(try #require(narrow.refreshToken))
        #expect(wide["scope"] == "openid profile email offline_access")
        let blank = await shop.refresh(try #require(wide.refreshToken), with: ["scope": " "])
        #expect(blank["scope"] == "openid profile email offline_access")
        let wider = await shop.refresh(try #require(blank.refreshToken), with: ["scope": "openid phone"])
        #expect(wider.oauthError == "invalid_scope")
        #expect(await shop.refresh(try #require(blank.refreshToken)).status == 200)
    }

    @Test func `A refresh token that has ended is invalid, whatever the scope`() async throws {
        let visitor = try await server.signedUp()
        let refresh = try #require(try await shop.tokens(of: visitor).refreshToken)
        #expect(await shop.send(["token": refresh], to: Route.revocation).status == 200)
        #expect(await shop.refresh(refresh, with: ["scope": "openid phone"]).oauthError == "invalid_grant")
    }

    @Test func `A client that has lost a grant type can't use its codes and tokens for it`() async throws {
        let visitor = try await server.signedUp()
        let refresh = try #require(try await shop.tokens(of: visitor).refreshToken)
        let first = try await shop.authorize(visitor)
        let second = try await shop.authorize(visitor)
        try await allow([.authorizationCode])
        #expect(await shop.refresh(refresh).oauthError == "unauthorized_client")
        let tokens = await shop.redeem(first)
        #expect(tokens.status == 200)
        #expect(tokens.refreshToken == nil)
        // A client without refresh tokens gets no grant that outlives the session.
        #expect(try await shop.tokens(of: visitor).refreshToken == nil)
        #expect(try await server.count("grants", where: "is_offline = 0") == 1)
        try await allow([.refreshToken])
        #expect(await shop.redeem(second).oauthError == "unauthorized_client")
        // The mistake of an operator who corrects it ends no grant.
        try await allow([.authorizationCode, .refreshToken])
        #expect(await shop.redeem(second).status == 200)
        #expect(await shop.refresh(refresh).status == 200)
    }

    /// Changes the grant types of the client.
    private func allow(_ types: [ClientMetadata.GrantType]) async throws {
        let names = types.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let patch = #"[{"op": "replace", "path": "/grant_types", "value": [\#(names)]}]"#
        let request = HTTP.Request(.patch, "/admin/clients/shop", body: Array(patch.utf8))
        let peer = PeerAddress(host: "192.0.2.9", port: 50_000)
        let answer = await server.people.assembly.localAdministration().respond(to: request, from: peer)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    @Test func `A refresh token lasts 30 days after its last use`() async throws {
        let visitor = try await server.signedUp()
        var token = try #require(try await shop.tokens(of: visitor).refreshToken)
        for _ in 0..<2 {
            server.time.advance(by: .seconds(29 * 86_400))
            token = try #require(await shop.refresh(token).refreshToken)
        }
        server.time.advance(by: .seconds(30 * 86_400))
        #expect(await shop.refresh(token).oauthError == "invalid_grant")
    }

    @Test func `The tokens of one client are unknown to another, and to the routes of sessions`() async throws
    {
        let other = try await server.client("other")
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        let refresh = try #require(tokens.refreshToken)
        #expect(await other.refresh(refresh).oauthError == "invalid_grant")
        _ = await other.send(["token": refresh], to: Route.revocation)
        _ = await other.send(["token": tokens.accessToken], to: Route.revocation)
        let own = await shop.send(
            ["grant_type": "refresh_token", "refresh_token": refresh, "client_id": nil, "client_secret": nil]
        )
        #expect(own.status == 400)
        #expect(await shop.userInfo(tokens.accessToken).status == 200)
        #expect(await shop.refresh(refresh).status == 200)
    }

    // MARK: Keys

    @Test func `A proof binds the grant to its key`() async throws {
        let (key, other) = (try SigningKey.generate(), try SigningKey.generate())
        let visitor = try await server.signedUp()
        let code = try await shop.authorize(visitor)
        let tokens = await shop.redeem(code, proof: try proof(key))
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens["token_type"] == "DPoP")
        #expect(await shop.userInfo(tokens.accessToken).status == 401)
        func info(_ key: SigningKey, for token: String) async throws -> Answer {
            let headers: HTTP.Headers = [
                "Authorization": "DPoP " + tokens.accessToken,
                DPoPProof.header: try proof(key, at: Route.userInfo, token: token),
            ]
            return await server.people.send(HTTP.Request(.get, Route.userInfo, headers: headers))
        }
        #expect(try await info(key, for: tokens.accessToken).status == 200)
        #expect(try await info(other, for: tokens.accessToken).status == 401)
        #expect(try await info(key, for: "another token").status == 401)
        let refresh = try #require(tokens.refreshToken)
        #expect(await shop.refresh(refresh).oauthError == "invalid_dpop_proof")
        #expect(await shop.refresh(refresh, proof: try proof(other)).oauthError == "invalid_dpop_proof")
        #expect(await shop.refresh(refresh, proof: try proof(key)).status == 200)
        // The lost-answer rule of bound tokens has no end.
        server.time.advance(by: .seconds(3600))
        #expect(await shop.refresh(refresh, proof: try proof(key)).status == 200)
    }

    @Test func `A code that is bound to a key is redeemed only with it`() async throws {
        let (key, other) = (try SigningKey.generate(), try SigningKey.generate())
        let visitor = try await server.signedUp()
        let code = try await shop.authorize(
            visitor,
            with: ["dpop_jkt": Base64URL.encode(key.publicKey.jwkThumbprint)]
        )
        #expect(await shop.redeem(code).oauthError == "invalid_grant")
        #expect(await shop.redeem(code, proof: try proof(other)).oauthError == "invalid_grant")
        #expect(await shop.redeem(code, proof: try proof(key)).status == 200)
    }

    // MARK: Ends

    /// Events after which no token or code of a grant is accepted.
    enum End: String, CaseIterable {
        case recovery, password, disabling, deletion, consent, client, disabledClient, refreshToken
    }

    @Test(arguments: End.allCases)
    func `A grant ends with`(_ end: End) async throws {
        let visitor = try await server.signedUp()
        let waiting = try await shop.authorize(visitor)
        let tokens = try await shop.tokens(of: visitor)
        let refresh = try #require(tokens.refreshToken)
        let identity = try #require(tokens.idClaims["sub"]?.text.flatMap { Identifier($0) })
        switch end {
        case .recovery:
            #expect(try await TestBrowser(server.people).recover().status == 303)
        case .password:
            let form = try await visitor.browser.start(.settings)
            let answer = try await visitor.browser.submit(
                form,
                ["method": "password", "password": "another correct horse"]
            )
            #expect(answer.status == 303)
        case .disabling, .deletion, .client, .disabledClient:
            let data = TokenData()
            let now = server.time.now
            try await server.database.transaction { transaction in
                switch end {
                case .client, .disabledClient:
                    try data.endGrants(ofClient: "shop", at: now, in: transaction)
                default: try data.endGrants(of: identity, at: now, in: transaction)
                }
            }
        case .consent:
            let answer = await visitor.browser.get("/account/clients")
            #expect(answer.body.elements.count == 1)
            #expect(answer.body.elements.first?["client_name"] == "The Shop")
            let deleted = await visitor.browser.get("/account/clients/shop", method: .delete)
            #expect(deleted.status == 204, "\(deleted.body)")
        case .refreshToken:
            #expect(await shop.send(["token": refresh], to: Route.revocation).status == 200)
        }
        #expect(await shop.userInfo(tokens.accessToken).status == 401)
        #expect(await shop.refresh(refresh).oauthError == "invalid_grant")
        if end != .refreshToken { #expect(await shop.redeem(waiting).oauthError == "invalid_grant") }
    }

    @Test func `Revoking one access token leaves the others`() async throws {
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        let next = await shop.refresh(try #require(tokens.refreshToken))
        #expect(await shop.send(["token": tokens.accessToken], to: Route.revocation).status == 200)
        #expect(await shop.userInfo(tokens.accessToken).status == 401)
        #expect(await shop.userInfo(next.accessToken).status == 200)
    }

    @Test func `Without offline access, a grant ends with the session that authorized it`() async throws {
        let visitor = try await server.signedUp()
        let online = try await shop.tokens(of: visitor, with: ["scope": "openid"])
        let offline = try await shop.tokens(of: visitor)
        #expect(online.refreshToken == nil)
        let expiry = try await server.database.rows("SELECT expires_at FROM grants WHERE is_offline = 0")
        #expect(try expiry[0].time(0) == server.time.now + .seconds(600))
        let waiting = try await shop.authorize(visitor, with: ["scope": "openid"])
        try await visitor.open("/logout")
        try await visitor.submit([:])
        #expect(await shop.userInfo(online.accessToken).status == 401)
        #expect(await shop.redeem(waiting).oauthError == "invalid_grant")
        #expect(await shop.userInfo(offline.accessToken).status == 200)
    }

    @Test func `Without offline access, a grant ends when its session expires`() async throws {
        let server = try await ProviderServer { $0.sessions.lifespan = .seconds(300) }
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(270))
        let online = try await shop.tokens(of: visitor, with: ["scope": "openid"])
        let offline = try await shop.tokens(of: visitor)
        let waiting = try await shop.authorize(visitor, with: ["scope": "openid"])
        #expect(await shop.userInfo(online.accessToken).status == 200)
        server.time.advance(by: .seconds(30))
        #expect(await shop.userInfo(online.accessToken).status == 401)
        #expect(await shop.redeem(waiting).oauthError == "invalid_grant")
        #expect(await shop.userInfo(offline.accessToken).status == 200)
    }

    @Test func `The oldest of too many grants ends`() async throws {
        let visitor = try await server.signedUp()
        let first = try await shop.tokens(of: visitor)
        for _ in 0..<GrantRepository.mostPerClient - 1 {
            server.time.advance(by: .seconds(1))
            _ = try await shop.tokens(of: visitor)
        }
        #expect(await shop.refresh(try #require(first.refreshToken)).status == 200)
        server.time.advance(by: .seconds(1))
        _ = try await shop.authorize(visitor)
        _ = try await shop.authorize(visitor)
        #expect(try await server.count("grants", where: "ended_at IS NULL") == GrantRepository.mostPerClient)
    }
}
