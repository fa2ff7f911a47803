import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import TestDatabases
import Testing

/// Tests race conditions that cause other SDKs to log users out, or to log them in to another user's account.
@Suite(.onEachDatabase) struct `Race conditions` {
    @Test func `10,000 callers with an expired token trigger a single refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.expireTokens()

        let statuses = try await withThrowingTaskGroup { group in
            for _ in 1...10_000 { group.addTask { try await app.callAPI() } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [200: 10_000])
        #expect(app.tokenRequests == 2)
    }

    @Test func `Concurrent callers whose token was rejected trigger a single refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(app.api.tokens[0])

        let statuses = try await withThrowingTaskGroup { group in
            for _ in 1...200 { group.addTask { try await app.callAPI() } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [200: 200])
        #expect(app.tokenRequests == 2)
    }

    @Test func `Processes that share a session refresh the token only once`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        let processes = try (1...8).map { _ in try app.restarted() }
        for process in processes { #expect(try await process.callAPI() == 200) }
        app.expireTokens()

        let statuses = try await withThrowingTaskGroup { group in
            for process in processes { group.addTask { try await process.callAPI() } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [200: 8])
        #expect(app.tokenRequests == 2)
    }

    @Test func `A sign-out takes precedence over a concurrent refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.expireTokens()
        app.network.inject(.delay(.seconds(5)), on: .post, "/oauth2/token")
        let order = Task { await failure { try await app.callAPI() } }
        await app.server.time.sleepers(atLeast: 1)

        #expect(app.client.signOut().storageFailure == nil)
        app.server.time.advance(by: .seconds(5))

        #expect(await order.value?.code == .signedOut)
        await app.network.settled()
        #expect(app.store.isEmpty && !app.isLoggedIn)
        #expect(try await !app.restarted().client.checkSession().isSignedIn)
    }

    @Test func `A sign-out that failed on a read-only disk completes once it is writable`() async throws {
        let app = try await TestApp.withAccessTokens()
        for _ in 1...40 {
            app.expireTokens()
            #expect(try await app.callAPI() == 200)
        }
        app.store.failWrites(.failed)
        app.store.failRemovals(.failed)

        #expect(app.client.signOut().storageFailure?.code == .storageFailed)
        for _ in 1...17 {
            #expect(await failure { try await app.logIn() }?.code == .storageFailed)
            // Without this constant, a failure would print all values in the expression, including the
            // server.
            let isLoggedIn = app.isLoggedIn
            try #require(!isLoggedIn)
        }
        app.store.failWrites(nil)
        app.store.failRemovals(nil)

        #expect(try await !app.client.checkSession().isSignedIn)
        #expect(app.store.isEmpty && !app.isLoggedIn)
        #expect(try await !app.restarted().client.checkSession().isSignedIn)
    }

    @Test func `A login takes precedence over a concurrent refresh`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        let old = try #require(app.client.sessionState.session)
        app.expireTokens()
        app.network.inject(.delay(.seconds(5)), on: .post, "/oauth2/token")
        let order = Task { await failure { try await app.callAPI() } }
        await app.server.time.sleepers(atLeast: 1)

        try await app.logIn()
        app.server.time.advance(by: .seconds(5))

        // The request may have been sent as another user.
        #expect(await order.value?.code == .signedOut)
        let new = try #require(app.client.sessionState.session)
        #expect(new.id != old.id)
        #expect(try await app.callAPI() == 200)
        #expect(try await app.restarted().callAPI() == 200)
    }

    @Test func `A login succeeds even if the previous session ends in the meantime`() async throws {
        let app = try await TestApp.withAccessTokens()
        try await app.server.endAllSessions()
        app.network.inject(
            .delay(.seconds(5)),
            on: .put,
            "/identity/pki/client/certificates"
        )
        let login = Task { await failure { try await app.logIn() } }
        await app.server.time.sleepers(atLeast: 1)

        #expect(try await !app.client.checkSession().isSignedIn)
        app.server.time.advance(by: .seconds(5))

        #expect(await login.value == nil)
        #expect(try await app.callAPI() == 200)
    }

    @Test(arguments: 1...5) func `Lost responses do not end the session`(_ losses: Int) async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        for _ in 1...4 {
            app.expireTokens()
            app.network.inject(.dropResponse, on: .post, "/oauth2/token", times: losses)
            for _ in 1...losses {
                let error = await failure { try await app.callAPI() }
                #expect(error?.code == .timedOut && error?.isStillSignedIn == true)
            }
            #expect(try await app.callAPI() == 200)
        }
    }

    @Test func `Losing the first response does not end the session`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.network.inject(.dropResponse, on: .post, "/oauth2/token")

        #expect(await failure { try await app.callAPI() }?.code == .timedOut)

        #expect(try await app.callAPI() == 200)
    }

    @Test func `The session survives a restart if the refreshed token could not be stored`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.expireTokens()
        app.store.failWrites(.failed)

        // The new token is used even though it cannot be written.
        #expect(try await app.callAPI() == 200)
        #expect(try await app.callAPI() == 200)
        #expect(app.tokenRequests == 2)

        // After a restart, the app only knows the previous token.
        app.store.failWrites(nil)
        let restarted = try app.restarted()
        #expect(try await restarted.callAPI() == 200)
        app.expireTokens()
        #expect(try await restarted.callAPI() == 200)
        #expect(try await app.callAPI() == 200)
    }

    @Test func `A store that is locked during a refresh does not end the session`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.expireTokens()
        app.store.failReads(.locked)

        let error = await failure { try await app.callAPI() }
        #expect(error?.code == .storageUnavailable && error?.isStillSignedIn == true)

        app.store.failReads(nil)
        #expect(try await app.callAPI() == 200)
    }

    @Test func `The other process is notified of the change`() async throws {
        let app = try await TestApp.withAccessTokens()
        let other = try app.restarted()
        var states = other.client.sessionStates.makeAsyncIterator()
        #expect(await states.next()?.isSignedIn == true)

        app.client.signOut()
        #expect(await states.next()?.isSignedIn == false)

        try await app.logIn()
        #expect(await states.next()?.isSignedIn == true)
    }
}
