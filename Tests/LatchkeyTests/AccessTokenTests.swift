import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Access tokens` {
    @Test func `The first request fetches a token that is used until it expires`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(app.tokenRequests == 0)

        for _ in 1...3 {
            #expect(try await app.callAPI() == 200)
            await app.maintenanceEnds()
        }

        #expect(app.tokenRequests == 1)
        #expect(Set(app.api.tokens).count == 1)
    }

    @Test func `The token is restored after a restart`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)

        #expect(try await app.restarted().callAPI() == 200)

        #expect(app.tokenRequests == 1)
    }

    @Test func `The token is refreshed before it expires`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)

        app.server.time.advance(by: .seconds(539))
        #expect(try await app.callAPI() == 200)
        #expect(app.tokenRequests == 1)

        app.server.time.advance(by: .seconds(1))
        #expect(try await app.callAPI() == 200)
        await app.maintenanceEnds()
        #expect(app.tokenRequests == 2)
        #expect(try await app.callAPI() == 200)
        #expect(Set(app.api.tokens).count == 2)
    }

    @Test func `A token that cannot be refreshed is used until it expires`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.network.inject(.unreachable, on: .post, "/oauth2/token", times: 2)

        app.server.time.advance(by: .seconds(590))
        #expect(try await app.callAPI() == 200)
        await app.maintenanceEnds()

        app.server.time.advance(by: .seconds(10))
        let error = await failure { try await app.callAPI() }
        #expect(error?.code == .unreachable)
        #expect(error?.isStillSignedIn == true)
        #expect(try await app.callAPI() == 200)
    }

    @Test func `After a 401, the token is refreshed and the request is sent again`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(app.api.tokens[0])

        #expect(try await app.callAPI() == 200)

        #expect(app.tokenRequests == 2)
        #expect(app.api.tokens.count == 3)
    }

    @Test func `A new token is refreshed again if it is later rejected`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)

        for renewals in 2...4 {
            let token = try #require(app.api.tokens.last)
            app.api.refuse(token)
            #expect(try await app.callAPI() == 200)
            #expect(app.tokenRequests == renewals)
            app.server.time.advance(by: .seconds(30))
        }
    }

    @Test func `If the session has ended, a 401 is returned and the user is signed out`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        try await app.server.endAllSessions()
        app.api.refuse(app.api.tokens[0])

        #expect(try await app.callAPI() == 401)

        #expect(!app.isLoggedIn)
        #expect(app.api.tokens.count == 2)
    }

    @Test func `Cancelling one caller does not cancel a refresh for the others`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(app.api.tokens[0])
        app.network.inject(.delay(.seconds(1)), on: .post, "/oauth2/token")
        let cancelled = Task { await failure { try await app.callAPI() } }
        await app.server.time.sleepers(atLeast: 1)

        cancelled.cancel()
        #expect(await cancelled.value?.code == .cancelled)
        let other = Task { try await app.callAPI() }
        while app.api.tokens.count < 3 { await Task.yield() }
        app.server.time.advance(by: .seconds(1))

        #expect(try await other.value == 200)
        #expect(app.tokenRequests == 2)
    }

    @Test func `A second 401 is returned and does not end the session`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.api.refuse(nil)

        #expect(try await app.callAPI() == 401)

        #expect(app.api.tokens.count == 2)
        #expect(app.tokenRequests == 2)
        #expect(app.isLoggedIn)
    }

    @Test func `A thousand 401s within a minute trigger only one refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        let others = app.identityExchanges.count
        app.api.refuse(nil)

        for _ in 1...1000 {
            #expect(try await app.callAPI() == 401)
            app.server.time.advance(by: .milliseconds(59))
        }
        await app.maintenanceEnds()

        #expect(app.identityExchanges.count == others + 1)
        #expect(app.api.tokens.count == 1 + 1000 + 1)
        #expect(app.isLoggedIn)
    }

    @Test func `If an API always responds with 401, the delay between refreshes increases`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(nil)

        // The token doesn't expire during this test, so only the 401 responses can cause a refresh.
        for _ in 1...500 {
            #expect(try await app.callAPI() == 401)
            app.server.time.advance(by: .seconds(1))
        }

        #expect((2...5).contains(app.tokenRequests))
    }

    @Test func `A gateway's errors between two 401s don't shorten the delay between refreshes`() async throws
    {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        // The API rejects every token, and a gateway answers every other request.
        let count = Locked(0)
        app.network.serve(TokenCheckingAPI.url) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return HTTP.Response(number % 2 == 1 ? 401 : [502, 503, 429, 408][number / 2 % 4])
        }

        for _ in 1...200 {
            _ = try await app.callAPI()
            app.server.time.advance(by: .seconds(1))
        }

        #expect((2...5).contains(app.tokenRequests))
    }

    @Test func `Concurrent 401s trigger a single refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(app.api.tokens[0])

        await withTaskGroup { group in
            for _ in 1...20 {
                group.addTask { #expect((try? await app.callAPI()) == 200) }
            }
        }

        #expect(app.tokenRequests == 2)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .respond(502)])
    func `If the refresh after a 401 fails, its error is thrown`(_ fault: NetworkFault) async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(app.api.tokens[0])
        app.network.inject(fault, on: .post, "/oauth2/token")

        for _ in 1...10 {
            let error = await failure { try await app.callAPI() }
            #expect([.unreachable, .timedOut, .serverFailed].contains(error?.code))
            #expect(error?.isStillSignedIn == true)
        }
        #expect(app.tokenRequests == 2)

        app.server.time.advance(by: .seconds(7))
        #expect(try await app.callAPI() == 200)
        #expect(app.tokenRequests == 3)
    }

    @Test func `A failed refresh is not retried for every request`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(app.api.tokens[0])
        app.network.inject(.unreachable, on: .post, "/oauth2/token", times: 500)

        for _ in 1...500 {
            #expect(await failure { try await app.callAPI() }?.code == .unreachable)
            app.server.time.advance(by: .seconds(1))
        }

        #expect((2...20).contains(app.tokenRequests))
    }

    @Test func `Requests do not wait for an early refresh that gets no response`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.network.inject(.delay(.seconds(3600)), on: .post, "/oauth2/token")
        app.server.time.advance(by: .seconds(545))
        #expect(try await app.callAPI() == 200)
        await app.server.time.sleepers(atLeast: 1)

        for _ in 1...14 {
            #expect(try await app.callAPI() == 200)
            app.server.time.advance(by: .seconds(1))
        }
        #expect(app.tokenRequests == 1)

        // The transport gives up after 15 seconds.
        app.server.time.advance(by: .seconds(1))
        await app.maintenanceEnds()
        app.server.time.advance(by: .seconds(3600))
        #expect(try await app.callAPI() == 200)
    }

    @Test(arguments: [-86_400, -3600, -59, 59, 3600, 86_400])
    func `Access tokens do not depend on the device's clock`(_ seconds: Int) async throws {
        let app = try await TestApp.withAccessTokens(clockSkew: .seconds(seconds))

        for _ in 1...4 {
            #expect(try await app.callAPI() == 200)
            app.expireTokens()
        }

        #expect(app.isLoggedIn)
        #expect(app.tokenGrants == 4)
    }

    @Test(arguments: [429, 500, 502, 503, 401, 403, 404, 200])
    func `Responses from a proxy or an overloaded server do not end the session`(_ status: Int)
        async throws
    {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.expireTokens()
        app.network.inject(.respond(status), on: .post, "/oauth2/token")

        #expect(await failure { try await app.callAPI() }?.isStillSignedIn == true)

        #expect(try await app.callAPI() == 200)
    }

    @Test func `The next refresh is delayed for as long as the server asks`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.network.inject(.refusal(429, retryAfter: 30), on: .post, "/oauth2/token")

        #expect(await failure { try await app.callAPI() }?.code == .tooManyRequests)
        app.server.time.advance(by: .seconds(29))
        #expect(await failure { try await app.callAPI() }?.code == .tooManyRequests)
        #expect(app.tokenRequests == 1)

        app.server.time.advance(by: .seconds(9))
        #expect(try await app.callAPI() == 200)
    }

    @Test func `A refresh waits at most five minutes, even if the clock jumps`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.network.inject(.refusal(503, retryAfter: 86_400), on: .post, "/oauth2/token")
        #expect(await failure { try await app.callAPI() }?.code == .serverFailed)

        app.server.time.stepWallClock(by: .seconds(-120))
        app.server.time.advance(by: .seconds(376))

        #expect(await failure { try await app.callAPI() } == nil)
    }

    @Test func `A Retry-After header from an intermediary does not delay the refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.network.inject(.respond(503, retryAfter: 86_400), on: .post, "/oauth2/token")
        #expect(await failure { try await app.callAPI() }?.code == .serverFailed)

        #expect(try await app.callAPI() == 200)
    }

    @Test func `A new login does not inherit the delay of the previous one`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.network.inject(.refusal(429, retryAfter: 300), on: .post, "/oauth2/token")
        #expect(await failure { try await app.callAPI() }?.code == .tooManyRequests)

        try await app.logIn()
        #expect(try await app.callAPI() == 200)
    }

    @Test func `A rejected refresh token ends the session without another request`()
        async throws
    {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.expireTokens()
        app.network.inject(.invalidGrant, on: .post, "/oauth2/token")
        let before = app.identityExchanges.count

        #expect(await failure { try await app.callAPI() }?.code == .signedOut)

        #expect(app.identityExchanges.count == before + 1)
        #expect(!app.isLoggedIn)
    }

    @Test func `A rejected token exchange does not end a session that is valid on the server`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.network.inject(.invalidGrant, on: .post, "/oauth2/token")

        let error = await failure { try await app.callAPI() }

        #expect(error?.code == .refused)
        #expect(error?.isStillSignedIn == true)
        #expect(try await app.callAPI() == 200)
    }

    @Test func `A rejected token exchange ends a session that the server has revoked`() async throws {
        let app = try await TestApp.withAccessTokens()
        try await app.server.endAllSessions()

        #expect(await failure { try await app.callAPI() }?.code == .signedOut)

        #expect(!app.isLoggedIn)
    }

    @Test func `All callers and processes are notified exactly once when the session ends`() async throws {
        let app = try await TestApp.withAccessTokens()
        let other = try app.restarted()
        #expect(try await app.callAPI() == 200)
        try await app.server.endAllSessions()
        app.expireTokens()
        let endings = Locked(0)
        let observer = app.client.onChange { event in
            if event.state.session == nil { endings.withLock { $0 += 1 } }
        }

        await withTaskGroup { group in
            for _ in 1...20 {
                group.addTask {
                    #expect(await failure { try await app.callAPI() }?.code == .signedOut)
                }
            }
        }

        #expect(endings.withLock { $0 } == 1)
        // Callers get their result before the record is removed.
        await app.client.engine.keeper.ready(again: true)
        #expect(app.store.isEmpty)
        #expect(try await other.client.checkSession().session == nil)
        withExtendedLifetime(observer) {}
    }
}

extension NetworkFault {
    /// The token endpoint's response to an invalid grant.
    fileprivate static let invalidGrant = NetworkFault.respond(
        .json(400, #"{"error":"invalid_grant"}"#)
    )

    /// Returns a fault that rejects a request with an error response in the identity server's own format.
    fileprivate static func refusal(_ status: Int, retryAfter: Int) -> NetworkFault {
        var response = HTTP.Response.refusal(status)
        response.headers["Retry-After"] = String(retryAfter)
        return .respond(response)
    }
}
