import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `A session with access tokens` {
    @Test func `asks for a token when it first needs one, and uses it as long as it lasts`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(shopper.network.renewals == 0)

        for _ in 1...3 {
            #expect(try await shopper.order() == 200)
            await shopper.maintenanceEnds()
        }

        #expect(shopper.network.renewals == 1)
        #expect(Set(shopper.network.tokens).count == 1)
    }

    @Test func `is there after a restart, with its token`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)

        #expect(try await shopper.another().order() == 200)

        #expect(shopper.network.renewals == 1)
    }

    @Test func `is renewed ahead of the end of its token`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)

        shopper.server.time.advance(by: .seconds(539))
        #expect(try await shopper.order() == 200)
        #expect(shopper.network.renewals == 1)

        shopper.server.time.advance(by: .seconds(1))
        #expect(try await shopper.order() == 200)
        await shopper.maintenanceEnds()
        #expect(shopper.network.renewals == 2)
        #expect(try await shopper.order() == 200)
        #expect(Set(shopper.network.tokens).count == 2)
    }

    @Test func `uses its token to the end when no other can be had`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.identity.inject(.unreachable, on: .post, "/oauth2/token", times: 2)

        shopper.server.time.advance(by: .seconds(590))
        #expect(try await shopper.order() == 200)
        await shopper.maintenanceEnds()

        shopper.server.time.advance(by: .seconds(10))
        let error = await failure { try await shopper.order() }
        #expect(error?.code == .unreachable)
        #expect(error?.sessionHolds == true)
        #expect(try await shopper.order() == 200)
    }

    @Test func `is renewed once after a 401, and the request sent again`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.refuse(shopper.network.tokens[0])

        #expect(try await shopper.order() == 200)

        #expect(shopper.network.renewals == 2)
        #expect(shopper.network.tokens.count == 3)
    }

    @Test func `is renewed again when its successor is refused half a minute later`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)

        for renewals in 2...4 {
            let token = try #require(shopper.network.tokens.last)
            shopper.network.refuse(token)
            #expect(try await shopper.order() == 200)
            #expect(shopper.network.renewals == renewals)
            shopper.server.time.advance(by: .seconds(30))
        }
    }

    @Test func `that the server has ended passes the 401 on, and is signed out`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        try await shopper.server.endAllSessions()
        shopper.network.refuse(shopper.network.tokens[0])

        #expect(try await shopper.order() == 401)

        #expect(!shopper.isLoggedIn)
        #expect(shopper.network.tokens.count == 2)
    }

    @Test func `is renewed for other requests after one was cancelled while it waited`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.refuse(shopper.network.tokens[0])
        shopper.network.identity.inject(.delay(.seconds(1)), on: .post, "/oauth2/token")
        let cancelled = Task { await failure { try await shopper.order() } }
        await shopper.server.time.sleepers(atLeast: 1)

        cancelled.cancel()
        #expect(await cancelled.value?.code == .cancelled)
        let other = Task { try await shopper.order() }
        while shopper.network.tokens.count < 3 { await Task.yield() }
        shopper.server.time.advance(by: .seconds(1))

        #expect(try await other.value == 200)
        #expect(shopper.network.renewals == 2)
    }

    @Test func `passes a second 401 on, and holds`() async throws {
        let shopper = try await Shopper.loggedIn()
        shopper.network.refuse(nil)

        #expect(try await shopper.order() == 401)

        #expect(shopper.network.tokens.count == 2)
        #expect(shopper.network.renewals == 2)
        #expect(shopper.isLoggedIn)
    }

    @Test func `is refreshed once for an API that answers 1,000 times with 401 in a minute`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        let others = shopper.network.identity.exchanges.count
        shopper.network.refuse(nil)

        for _ in 1...1000 {
            #expect(try await shopper.order() == 401)
            shopper.server.time.advance(by: .milliseconds(59))
        }
        await shopper.maintenanceEnds()

        #expect(shopper.network.identity.exchanges.count == others + 1)
        #expect(shopper.network.tokens.count == 1 + 1000 + 1)
        #expect(shopper.isLoggedIn)
    }

    @Test func `is refreshed less and less often for an API that always answers with 401`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.refuse(nil)

        // Within the life of a token, so that only the answers cause refreshes.
        for _ in 1...500 {
            #expect(try await shopper.order() == 401)
            shopper.server.time.advance(by: .seconds(1))
        }

        #expect((2...5).contains(shopper.network.renewals))
    }

    @Test func `is refreshed once when many requests get a 401 together`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.refuse(shopper.network.tokens[0])

        await withTaskGroup { group in
            for _ in 1...20 {
                group.addTask { #expect((try? await shopper.order()) == 200) }
            }
        }

        #expect(shopper.network.renewals == 2)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .answer(502)])
    func `reports that no fresher token could be had, and not the 401`(_ fault: NetworkFault) async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.refuse(shopper.network.tokens[0])
        shopper.network.identity.inject(fault, on: .post, "/oauth2/token")

        for _ in 1...10 {
            let error = await failure { try await shopper.order() }
            #expect([.unreachable, .timedOut, .serverFailed].contains(error?.code))
            #expect(error?.sessionHolds == true)
        }
        #expect(shopper.network.renewals == 2)

        shopper.server.time.advance(by: .seconds(7))
        #expect(try await shopper.order() == 200)
        #expect(shopper.network.renewals == 3)
    }

    @Test func `is not asked for at every request while its refreshes fail`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.refuse(shopper.network.tokens[0])
        shopper.network.identity.inject(.unreachable, on: .post, "/oauth2/token", times: 500)

        for _ in 1...500 {
            #expect(await failure { try await shopper.order() }?.code == .unreachable)
            shopper.server.time.advance(by: .seconds(1))
        }

        #expect((2...20).contains(shopper.network.renewals))
    }

    @Test func `is not refreshed before its requests when the identity server gives no answer`() async throws
    {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.network.identity.inject(.delay(.seconds(3600)), on: .post, "/oauth2/token")
        shopper.server.time.advance(by: .seconds(545))
        #expect(try await shopper.order() == 200)
        await shopper.server.time.sleepers(atLeast: 1)

        for _ in 1...50 {
            #expect(try await shopper.order() == 200)
            shopper.server.time.advance(by: .seconds(1))
        }
        #expect(shopper.network.renewals == 1)

        shopper.server.time.advance(by: .seconds(3600))
        await shopper.maintenanceEnds()
        #expect(try await shopper.order() == 200)
    }

    @Test(arguments: [-86_400, -3600, -59, 59, 3600, 86_400])
    func `does not depend on the device's clock`(_ seconds: Int) async throws {
        let shopper = try await Shopper.loggedIn(clockOff: .seconds(seconds))

        for _ in 1...4 {
            #expect(try await shopper.order() == 200)
            shopper.letTokensExpire()
        }

        #expect(shopper.isLoggedIn)
        #expect(shopper.network.grants == 4)
    }

    @Test(arguments: [429, 500, 502, 503, 401, 403, 404, 200])
    func `holds whatever a proxy or a tired server answers`(_ status: Int) async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.letTokensExpire()
        shopper.network.identity.inject(.answer(status), on: .post, "/oauth2/token")

        #expect(await failure { try await shopper.order() }?.sessionHolds == true)

        #expect(try await shopper.order() == 200)
    }

    @Test func `waits as long as the server asks it to`() async throws {
        let shopper = try await Shopper.loggedIn()
        shopper.network.identity.inject(.refusal(429, retryAfter: 30), on: .post, "/oauth2/token")

        #expect(await failure { try await shopper.order() }?.code == .tooManyRequests)
        shopper.server.time.advance(by: .seconds(29))
        #expect(await failure { try await shopper.order() }?.code == .tooManyRequests)
        #expect(shopper.network.renewals == 1)

        shopper.server.time.advance(by: .seconds(9))
        #expect(try await shopper.order() == 200)
    }

    @Test func `waits five minutes at most, and a step of the clock does not prolong it`() async throws {
        let shopper = try await Shopper.loggedIn()
        shopper.network.identity.inject(.refusal(503, retryAfter: 86_400), on: .post, "/oauth2/token")
        #expect(await failure { try await shopper.order() }?.code == .serverFailed)

        shopper.server.time.stepWallClock(by: .seconds(-120))
        shopper.server.time.advance(by: .seconds(376))

        #expect(await failure { try await shopper.order() } == nil)
    }

    @Test func `does not wait because something before the server asks for it`() async throws {
        let shopper = try await Shopper.loggedIn()
        shopper.network.identity.inject(.answer(503, retryAfter: 86_400), on: .post, "/oauth2/token")
        #expect(await failure { try await shopper.order() }?.code == .serverFailed)

        #expect(try await shopper.order() == 200)
    }

    @Test func `of another login does not wait because the server asked the former one to`() async throws {
        let shopper = try await Shopper.loggedIn()
        shopper.network.identity.inject(.refusal(429, retryAfter: 300), on: .post, "/oauth2/token")
        #expect(await failure { try await shopper.order() }?.code == .tooManyRequests)

        try await shopper.logIn()
        #expect(try await shopper.order() == 200)
    }

    @Test func `ends when the server refuses its refresh token, without another question`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.letTokensExpire()
        shopper.network.identity.inject(.invalidGrant, on: .post, "/oauth2/token")
        let before = shopper.network.identity.exchanges.count

        #expect(await failure { try await shopper.order() }?.code == .signedOut)

        #expect(shopper.network.identity.exchanges.count == before + 1)
        #expect(!shopper.isLoggedIn)
    }

    @Test func `does not end when its exchange is refused but the server knows the session`() async throws {
        let shopper = try await Shopper.loggedIn()
        shopper.network.identity.inject(.invalidGrant, on: .post, "/oauth2/token")

        let error = await failure { try await shopper.order() }

        #expect(error?.code == .refused)
        #expect(error?.sessionHolds == true)
        #expect(try await shopper.order() == 200)
    }

    @Test func `ends when its exchange is refused and the server does not know the session`() async throws {
        let shopper = try await Shopper.loggedIn()
        try await shopper.server.endAllSessions()

        #expect(await failure { try await shopper.order() }?.code == .signedOut)

        #expect(!shopper.isLoggedIn)
    }

    @Test func `ends once for everybody when the server ends it`() async throws {
        let shopper = try await Shopper.loggedIn()
        let other = try shopper.another()
        #expect(try await shopper.order() == 200)
        try await shopper.server.endAllSessions()
        shopper.letTokensExpire()
        let endings = Locked(0)
        shopper.client.onChange { event in
            if event.state.session == nil { endings.withLock { $0 += 1 } }
        }

        await withTaskGroup { group in
            for _ in 1...20 {
                group.addTask {
                    #expect(await failure { try await shopper.order() }?.code == .signedOut)
                }
            }
        }

        #expect(endings.withLock { $0 } == 1)
        // Whoever waits is told at once; the record goes right after.
        await shopper.client.engine.keeper.ready(again: true)
        #expect(shopper.store.isEmpty)
        #expect(try await other.client.checkSession().session == nil)
    }
}

extension NetworkFault {
    /// The refusal of a token by the token endpoint.
    fileprivate static let invalidGrant = NetworkFault.answer(
        HTTPResponse(400, body: Array(#"{"error":"invalid_grant"}"#.utf8))
    )

    /// A refusal by the identity server itself.
    fileprivate static func refusal(_ status: Int, retryAfter: Int) -> NetworkFault {
        let body = #"{"error":{"code":\#(status),"message":"Not now."}}"#
        return .answer(
            HTTPResponse(status, headers: ["Retry-After": String(retryAfter)], body: Array(body.utf8))
        )
    }
}
