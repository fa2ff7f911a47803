import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import TestDatabases
import Testing

/// Races in which users of other SDKs are logged out, or into somebody else's account.
@Suite(.onEachDatabase) struct `A race` {
    @Test func `of 10,000 callers with an expired token is one refresh`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.letTokensExpire()

        let statuses = try await withThrowingTaskGroup { group in
            for _ in 1...10_000 { group.addTask { try await shopper.order() } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [200: 10_000])
        #expect(shopper.network.renewals == 2)
    }

    @Test func `of callers who were all refused is one refresh`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.refuse(shopper.network.tokens[0])

        let statuses = try await withThrowingTaskGroup { group in
            for _ in 1...200 { group.addTask { try await shopper.order() } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [200: 200])
        #expect(shopper.network.renewals == 2)
    }

    @Test func `of processes that share a session is one refresh`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        let processes = try (1...8).map { _ in try shopper.another() }
        for process in processes { #expect(try await process.order() == 200) }
        shopper.letTokensExpire()

        let statuses = try await withThrowingTaskGroup { group in
            for process in processes { group.addTask { try await process.order() } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [200: 8])
        #expect(shopper.network.renewals == 2)
    }

    @Test func `of a sign-out with a refresh is won by the sign-out`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.letTokensExpire()
        shopper.network.identity.inject(.delay(.seconds(5)), on: .post, "/oauth2/token")
        let order = Task { await failure { try await shopper.order() } }
        await shopper.server.time.sleepers(atLeast: 1)

        #expect(shopper.client.signOut() == nil)
        shopper.server.time.advance(by: .seconds(5))

        #expect(await order.value?.code == .signedOut)
        await shopper.network.identity.settled()
        #expect(shopper.store.isEmpty && !shopper.isLoggedIn)
        #expect(try await !shopper.another().client.checkSession().isSignedIn)
    }

    @Test func `of a sign-out with logins on a read-only disk is won by the sign-out, after 40 refreshes`()
        async throws
    {
        let shopper = try await Shopper.loggedIn()
        for _ in 1...40 {
            shopper.letTokensExpire()
            #expect(try await shopper.order() == 200)
        }
        shopper.store.failWrites(.failed)
        shopper.store.failRemovals(.failed)

        #expect(shopper.client.signOut()?.code == .storageFailed)
        for _ in 1...17 {
            #expect(await failure { try await shopper.logIn() }?.code == .storageFailed)
            // A failure would describe everything that the expression holds, with the server in it.
            let isLoggedIn = shopper.isLoggedIn
            try #require(!isLoggedIn)
        }
        shopper.store.failWrites(nil)
        shopper.store.failRemovals(nil)

        #expect(try await !shopper.client.checkSession().isSignedIn)
        #expect(shopper.store.isEmpty && !shopper.isLoggedIn)
        #expect(try await !shopper.another().client.checkSession().isSignedIn)
    }

    @Test func `of a login with a refresh is won by the login`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        let old = try #require(shopper.client.sessionState.session)
        shopper.letTokensExpire()
        shopper.network.identity.inject(.delay(.seconds(5)), on: .post, "/oauth2/token")
        let order = Task { await failure { try await shopper.order() } }
        await shopper.server.time.sleepers(atLeast: 1)

        try await shopper.logIn()
        shopper.server.time.advance(by: .seconds(5))

        // The request was made as somebody else, perhaps.
        #expect(await order.value?.code == .signedOut)
        let new = try #require(shopper.client.sessionState.session)
        #expect(new.id != old.id)
        #expect(try await shopper.order() == 200)
        #expect(try await shopper.another().order() == 200)
    }

    @Test func `of a login with the end of the session before it is won by the login`() async throws {
        let shopper = try await Shopper.loggedIn()
        try await shopper.server.endAllSessions()
        shopper.network.identity.inject(
            .delay(.seconds(5)),
            on: .put,
            "/identity/pki/client/certificates"
        )
        let login = Task { await failure { try await shopper.logIn() } }
        await shopper.server.time.sleepers(atLeast: 1)

        #expect(try await !shopper.client.checkSession().isSignedIn)
        shopper.server.time.advance(by: .seconds(5))

        #expect(await login.value == nil)
        #expect(try await shopper.order() == 200)
    }

    @Test(arguments: 1...5) func `that loses answers loses no session`(_ losses: Int) async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        for _ in 1...4 {
            shopper.letTokensExpire()
            shopper.network.identity.inject(.dropAnswer, on: .post, "/oauth2/token", times: losses)
            for _ in 1...losses {
                let error = await failure { try await shopper.order() }
                #expect(error?.code == .timedOut && error?.sessionHolds == true)
            }
            #expect(try await shopper.order() == 200)
        }
    }

    @Test func `that loses the first answer of all loses no session`() async throws {
        let shopper = try await Shopper.loggedIn()
        shopper.network.identity.inject(.dropAnswer, on: .post, "/oauth2/token")

        #expect(await failure { try await shopper.order() }?.code == .timedOut)

        #expect(try await shopper.order() == 200)
    }

    @Test func `of a restart with a refresh whose answer was not written loses no session`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.letTokensExpire()
        shopper.store.failWrites(.failed)

        // What came is used, though it cannot be written.
        #expect(try await shopper.order() == 200)
        #expect(try await shopper.order() == 200)
        #expect(shopper.network.renewals == 2)

        // The process ends; the next one knows the token before that only.
        shopper.store.failWrites(nil)
        let restarted = try shopper.another()
        #expect(try await restarted.order() == 200)
        shopper.letTokensExpire()
        #expect(try await restarted.order() == 200)
        #expect(try await shopper.order() == 200)
    }

    @Test func `of a store that locks itself with a refresh loses no session`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.letTokensExpire()
        shopper.store.failReads(.locked)

        let error = await failure { try await shopper.order() }
        #expect(error?.code == .storageUnavailable && error?.sessionHolds == true)

        shopper.store.failReads(nil)
        #expect(try await shopper.order() == 200)
    }

    @Test func `is heard of by the other process`() async throws {
        let shopper = try await Shopper.loggedIn()
        let other = try shopper.another()
        var states = other.client.sessionStates.makeAsyncIterator()
        #expect(await states.next()?.isSignedIn == true)

        shopper.client.signOut()
        #expect(await states.next()?.isSignedIn == false)

        try await shopper.logIn()
        #expect(await states.next()?.isSignedIn == true)
    }
}

extension SessionState {
    fileprivate var isSignedIn: Bool { session != nil }
}
