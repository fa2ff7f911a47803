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

/// Authorization codes that an app gets for the server of another client.
@Suite("Codes that an app gets for another client", .onEachDatabase)
struct HandedCodeTests {
    private func redeem(_ code: String, at server: HandoverServer, _ changes: [String: String?] = [:]) async
        -> Answer
    {
        await server.site.redeem(code, with: ["code_verifier": nil].merging(changes) { $1 })
    }

    @Test func `The other client redeems the code once with its secret`() async throws {
        let server = try await HandoverServer()
        server.time.advance(by: .seconds(100))
        let code = try await server.code(.authorizationCode, with: ["scope": "openid email"])
        let tokens = await redeem(code, at: server)
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens["scope"] == nil || tokens["scope"] == "openid email")
        #expect(tokens.refreshToken == nil)
        #expect(tokens.idClaims["sub"] == .string(server.identity.description))
        #expect(tokens.idClaims["aud"] == "shop" || tokens.idClaims["aud"] == ["shop"])
        #expect(await server.site.userInfo(tokens.accessToken).status == 200)
        #expect(try await server.people.actions(of: server.identity).contains(.authorized))
        // A second redemption ends the grant.
        #expect(await redeem(code, at: server).oauthError == "invalid_grant")
        #expect(await server.site.userInfo(tokens.accessToken).status == 401)
    }

    @Test func `The code can't be redeemed in any other way, which doesn't use it up`() async throws {
        let server = try await HandoverServer()
        let stranger = try await server.provider.client("stranger", own: #""first_party": true"#)
        let anyone = try await server.provider.client("anyone", secret: nil)
        let code = try await server.code(.authorizationCode)
        let none: [String: String?] = ["code_verifier": nil]
        #expect(await stranger.redeem(code, with: none).oauthError == "invalid_grant")
        #expect(await anyone.redeem(code, with: none).oauthError == "invalid_grant")
        #expect(await server.site.redeem(code).oauthError == "invalid_grant")
        for changes: [String: String?] in [["client_secret": nil], ["client_secret": "wrong"]] {
            #expect(await redeem(code, at: server, changes).oauthError == "invalid_client")
        }
        for redirect in ["https://other.example", HandoverServer.callback + "?a=b"] {
            #expect(await redeem(code, at: server, ["redirect_uri": redirect]).oauthError == "invalid_grant")
        }
        // The code opens no browser.
        let browser = TestBrowser(server.people)
        #expect(await server.open(code, in: browser).status == 410)
        #expect(!browser.isLoggedIn)
        #expect(await redeem(code, at: server).status == 200)
    }

    @Test func `A client that has lost its secret can't redeem the code`() async throws {
        let server = try await HandoverServer()
        let code = try await server.code(.authorizationCode)
        await server.patch("shop", "replace", "/token_endpoint_auth_method", #""none""#)
        let answer = await redeem(code, at: server, ["client_secret": nil])
        #expect(answer.oauthError == "invalid_grant", "\(answer.body)")
        #expect(try await server.provider.count("grants", where: "redeemed_at IS NOT NULL") == 0)
    }

    @Test func `The code expires after a minute, even if others last longer`() async throws {
        let server = try await HandoverServer { $0.provider.codeLifespan = .seconds(600) }
        let (first, second) = (
            try await server.code(.authorizationCode), try await server.code(.authorizationCode)
        )
        server.time.advance(by: .seconds(60) - .microseconds(1))
        #expect(await redeem(first, at: server).status == 200)
        server.time.advance(by: .microseconds(1))
        #expect(await redeem(second, at: server).oauthError == "invalid_grant")
    }

    @Test func `Of ten redemptions at once, one succeeds`() async throws {
        let server = try await HandoverServer()
        let code = try await server.code(.authorizationCode)
        let answers = await withTaskGroup(of: Answer.self) { group in
            for _ in 0..<10 { group.addTask { await redeem(code, at: server) } }
            return await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.successes == 1)
    }

    // MARK: Scopes

    @Test func `Without a scope, the client gets its registered ones, but no refresh token`() async throws {
        let server = try await HandoverServer()
        let tokens = await redeem(try await server.code(.authorizationCode), at: server)
        #expect(tokens.grantedScopes == ["openid", "profile", "email"])
        #expect(tokens.refreshToken == nil)
        let asked = try await server.code(.authorizationCode, with: ["scope": "openid offline_access other"])
        let offline = await redeem(asked, at: server)
        #expect(offline.grantedScopes == ["openid", "offline_access"])
        #expect(offline.refreshToken != nil)
    }

    @Test func `A third party needs the user's consent`() async throws {
        let server = try await HandoverServer(own: #""first_party": false"#)
        #expect(await server.exchange(.authorizationCode).oauthError == "consent_required")
        // A browser needs none, because the site gets no data.
        #expect(await server.exchange().status == 200)
        let visitor = PageVisitor(server.people)
        try await visitor.logIn()
        _ = try await server.site.authorize(visitor, with: ["scope": "openid email"])

        let more = await server.exchange(.authorizationCode, with: ["scope": "openid profile"])
        #expect(more.oauthError == "consent_required")
        let same = try await server.code(.authorizationCode, with: ["scope": "openid email"])
        #expect(await redeem(same, at: server).status == 200)
        let tokens = await redeem(try await server.code(.authorizationCode), at: server)
        #expect(tokens.grantedScopes == ["openid", "email"])
    }

    @Test func `A client that the operator lets skip consent needs none`() async throws {
        let server = try await HandoverServer(own: #""first_party": false"#)
        await server.patch("shop", "add", "/skip_consent", "true")
        #expect(await server.exchange(.authorizationCode).status == 200)
    }

    // MARK: Ends

    @Test func `The grant ends with the app's session, unless the app has asked for more`() async throws {
        let server = try await HandoverServer()
        let open = try await server.code(.authorizationCode)
        let bound = await redeem(try await server.code(.authorizationCode), at: server)
        let offline = await redeem(
            try await server.code(.authorizationCode, with: ["scope": "openid offline_access"]),
            at: server
        )
        #expect(await server.site.userInfo(bound.accessToken).status == 200)
        _ = try await server.people.logOut(server.token)

        #expect(await server.site.userInfo(bound.accessToken).status == 401)
        #expect(await redeem(open, at: server).oauthError == "invalid_grant")
        #expect(await server.site.refresh(try #require(offline.refreshToken)).status == 200)
    }

    @Test(arguments: ["disable", "delete"])
    func `A client that is removed meanwhile can't redeem the code`(change: String) async throws {
        let server = try await HandoverServer()
        let code = try await server.code(.authorizationCode)
        if change == "disable" {
            await server.patch("shop", "add", "/latchkey/disabled", "true")
        } else {
            #expect(await server.operate(.delete, "/admin/clients/shop").status == 204)
        }
        #expect(await redeem(code, at: server).oauthError == "invalid_client")
        #expect(try await server.provider.count("grants", where: "ended_at IS NULL") == 0)
    }
}

extension Answer {
    /// The scopes of the access token.
    fileprivate var grantedScopes: Set<String> {
        Set((accessClaims["scope"]?.text ?? "").split(separator: " ").map(String.init))
    }
}
