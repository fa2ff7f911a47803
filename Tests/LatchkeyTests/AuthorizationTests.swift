import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Authorization of requests sent by the app's own network stack` {
    private static let url = TokenCheckingAPI.url + "/orders"

    /// Sends a request with credentials like the app's own network stack would, and reports its response.
    private func call(
        _ app: TestApp<FaultInjectingStore>
    ) async throws -> (status: Int, authorization: RequestAuthorization, shouldRepeat: Bool) {
        let authorization = try await app.client.authorization(.post, for: Self.url)
        let request = HTTP.Request(.post, "/orders", headers: authorization.headers)
        let status = app.api.response(to: request).status
        let shouldRepeat = app.client.reportResponse(status: status, for: authorization)
        return (status, authorization, shouldRepeat)
    }

    @Test func `Credentials are fetched once and reused until they expire`() async throws {
        let app = try await TestApp.withAccessTokens()

        for _ in 1...3 { #expect(try await call(app).status == 200) }
        let expiry = try await app.client.authorization(for: Self.url).expiresAt

        #expect(app.tokenRequests == 1)
        #expect(expiry == (app.server.time.now + .seconds(600)).date)
        #expect(
            try await app.client.authorization(for: try #require(URL(string: Self.url + "#top"))).origin
                == TokenCheckingAPI.url
        )
    }

    @Test func `Concurrent calls share one token request`() async throws {
        let app = try await TestApp.withAccessTokens()

        await withTaskGroup { group in
            for _ in 1...50 { group.addTask { #expect((try? await call(app))?.status == 200) } }
        }
        app.expireTokens()
        await withTaskGroup { group in
            for _ in 1...50 { group.addTask { #expect((try? await call(app))?.status == 200) } }
        }

        #expect(app.tokenRequests == 2)
    }

    @Test func `A token with less than the minimum validity is refreshed first`() async throws {
        let app = try await TestApp.withAccessTokens()
        let first = try await call(app).authorization
        app.server.time.advance(by: .seconds(300))

        let second = try await app.client.authorization(for: Self.url, validFor: .seconds(301))

        #expect(app.tokenRequests == 2)
        #expect(second.headers["Authorization"] != first.headers["Authorization"])
        #expect(try #require(second.expiresAt) == (app.server.time.now + .seconds(600)).date)
    }

    @Test func `Tokens that are never valid for long enough are refreshed once a minute`() async throws {
        let app = try await TestApp.withAccessTokens()

        for _ in 1...60 {
            _ = try await app.client.authorization(for: Self.url, validFor: .seconds(3600))
            app.server.time.advance(by: .seconds(1))
        }

        #expect((1...3).contains(app.tokenRequests))
    }

    @Test func `A valid token is used if it cannot be refreshed early`() async throws {
        let app = try await TestApp.withAccessTokens()
        let first = try await call(app).authorization
        app.server.time.advance(by: .seconds(580))
        app.network.inject(.unreachable, on: .post, "/oauth2/token", times: 100)

        for _ in 1...10 {
            let authorization = try await app.client.authorization(for: Self.url)
            #expect(authorization.headers["Authorization"] == first.headers["Authorization"])
        }
        #expect(app.tokenRequests == 2)

        app.server.time.advance(by: .seconds(20))
        let error = await failure { try await app.client.authorization(for: Self.url) }
        #expect(error?.code == .unreachable && error?.isStillSignedIn == true)
    }

    @Test func `A reported 401 triggers a single refresh and never ends the session`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await call(app).status == 200)
        app.api.refuse(app.api.tokens[0])

        let rejected = try await call(app)
        #expect(rejected.status == 401 && rejected.shouldRepeat)
        let repeated = try await call(app)
        #expect(repeated.status == 200 && !repeated.shouldRepeat)
        await app.maintenanceEnds()
        #expect(app.tokenRequests == 2)

        app.api.refuse(nil)
        for _ in 1...100 { _ = try await call(app) }
        await app.maintenanceEnds()
        #expect((2...4).contains(app.tokenRequests))
        #expect(app.isLoggedIn)
    }

    @Test func `A late 401 response does not trigger another refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        let first = try await call(app).authorization
        app.expireTokens()
        _ = try await call(app)

        #expect(app.client.reportResponse(status: 401, for: first))
        await app.maintenanceEnds()

        #expect(app.tokenRequests == 2)
    }

    @Test func `A 401 for an earlier login's credentials has no effect`() async throws {
        let app = try await TestApp.withAccessTokens()
        let first = try await call(app).authorization
        try await app.logIn()
        _ = try await call(app)
        // The client revokes the earlier session in the background.
        let isRevocation = { (line: String) in line == "DELETE /a/self-service/logout/api" }
        let before = app.requestLines.filter { !isRevocation($0) }

        #expect(!app.client.reportResponse(status: 401, for: first))
        await app.maintenanceEnds()

        #expect(app.requestLines.filter { !isRevocation($0) } == before)
    }

    @Test func `A reported 401 triggers a session check if the app uses session tokens`() async throws {
        let app = try await TestApp.loggedIn()
        let authorization = try await app.client.authorization(for: Self.url)
        #expect(authorization.expiresAt == app.client.sessionState.session?.expiresAt)

        for _ in 1...20 { #expect(!app.client.reportResponse(status: 401, for: authorization)) }
        await app.maintenanceEnds()
        #expect(app.requestLines == ["GET /a/sessions/whoami"])
        #expect(app.isLoggedIn)

        try await app.server.endAllSessions()
        app.server.time.advance(by: .seconds(120))
        app.client.reportResponse(status: 401, for: authorization)
        await app.maintenanceEnds()
        #expect(!app.isLoggedIn)
    }

    @Test(arguments: [
        ("https://evil.example/me", LatchkeyError.Code.originNotAllowed),
        ("https://api.example.com.evil.example/me", .originNotAllowed),
        ("https://api.example.com./me", .originNotAllowed),
        ("https://api.example.com:8443/me", .originNotAllowed),
        ("https://xn--pi-wja.example.com/me", .originNotAllowed),
        ("http://api.example.com/me", .invalidInput),
        ("ws://api.example.com/me", .invalidInput),
        ("https://\u{0430}pi.example.com/me", .invalidInput),
        ("https://api.example.com@evil.example/me", .invalidInput),
        ("https://user:password@api.example.com/me", .invalidInput),
        ("https://evil.example\\@api.example.com/me", .invalidInput),
        ("https://evil.example#@api.example.com/me", .originNotAllowed),
        ("https://api%2eexample.com/me", .invalidInput),
        ("https://api.example.com:443:443/me", .invalidInput),
        ("https:/api.example.com/me", .invalidInput),
        ("https://api.example.com/\r\nX: y", .invalidInput),
        ("/me", .invalidInput), ("", .invalidInput),
    ]) func `Credentials are not returned for another origin or a malformed URL`(
        url: String,
        code: LatchkeyError.Code
    ) async throws {
        let app = try await TestApp.withAccessTokens()
        let before = app.network.exchanges.count

        let error = await failure { try await app.client.authorization(for: url) }

        #expect(error?.code == code)
        #expect(error?.isStillSignedIn == true)
        // An access token is not requested either.
        #expect(app.network.exchanges.count == before)
    }

    @Test(arguments: [
        "https://API.example.COM/me", "https://api.example.com:443/me", "HTTPS://api.example.com",
    ])
    func `Credentials are returned for any spelling of a listed origin`(url: String) async throws {
        let app = try await TestApp.withAccessTokens()

        #expect(try await app.client.authorization(for: url).origin == TokenCheckingAPI.url)
    }

    @Test func `Credentials are not returned after a sign-out`() async throws {
        let app = try await TestApp.withAccessTokens()
        _ = try await call(app)
        app.client.signOut()

        #expect(await failure { try await app.client.authorization(for: Self.url) }?.code == .signedOut)
    }

    @Test func `Printed credentials are masked`() async throws {
        let app = try await TestApp.withAccessTokens()
        let authorization = try await call(app).authorization
        let token = try #require(authorization.headers["Authorization"]?.split(separator: " ").last)

        var dumped = ""
        dump(authorization, to: &dumped)
        for text in ["\(authorization)", String(reflecting: authorization), dumped] {
            #expect(!text.contains(token))
        }
    }
}
