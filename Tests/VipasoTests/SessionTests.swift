import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing
import VipasoSDK

@MainActor
@Suite(.onEachDatabase) struct `A Vipaso session` {
    @Test func `is there after a restart without a server`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        await phone.logInBusiness()
        await phone.server.stop()

        let restarted = try phone.restarted()

        #expect(await restarted.delegate.changes(atLeast: 1) == [true])
        #expect(restarted.vipaso.isAuthenticated)
        restarted.vipaso.checkAuthentication()
        await restarted.transport.exchanges(atLeast: 2)
        await mainActorIsIdle()
        #expect(restarted.delegate.changes == [true])
        #expect(Set(restarted.log) == ["GET /a/sessions/whoami"])
    }

    @Test func `that the server ended is over at the next check, told once`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        await phone.logInBusiness()
        try await phone.endSessionOnServer()

        for _ in 1...5 { phone.vipaso.checkAuthentication() }
        #expect(await phone.delegate.changes(atLeast: 2) == [true, false])
        phone.vipaso.checkAuthentication()
        await mainActorIsIdle()

        #expect(phone.delegate.changes == [true, false])
        #expect(await phone.becomesClean())
    }

    @Test func `that the server ended while the app was closed is over after the restart`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        await phone.logInBusiness()
        try await phone.endSessionOnServer()

        let restarted = try phone.restarted()

        #expect(await restarted.delegate.changes(atLeast: 2) == [true, false])
        #expect(await restarted.becomesClean())
    }

    @Test func `is told to a delegate that comes late, once`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        await phone.logInBusiness()
        let late = Coordinator()

        phone.vipaso.delegate = late
        phone.vipaso.delegate = late

        #expect(await late.changes(atLeast: 1) == [true])
        await mainActorIsIdle()
        phone.vipaso.user.business.logout()
        #expect(await late.changes(atLeast: 2) == [true, false])
        #expect(phone.delegate.changes == [true])
    }

    @Test func `does not keep its delegate`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        var delegate: Coordinator? = Coordinator()
        phone.vipaso.delegate = delegate
        #expect(phone.vipaso.delegate === delegate)
        weak let gone = delegate

        delegate = nil
        await phone.logInBusiness()

        #expect(gone == nil)
        #expect(phone.vipaso.delegate == nil)
    }
}

extension Phone {
    /// Ends the session as a logout elsewhere does.
    fileprivate func endSessionOnServer() async throws {
        let certified = transport.exchanges.last { $0.request.method == .put }
        let token = try #require(certified?.request.headers["X-Session-Token"])
        var request = HTTPRequest(.delete, "/a/self-service/logout/api")
        request.headers["Content-Type"] = "application/json"
        request.body = Array(#"{"session_token":"\#(token)"}"#.utf8)
        let answer = try await server.transport().send(request, to: TestServer.url)
        #expect(answer.status == 204)
    }
}

extension TestTransport {
    /// Waits until so many exchanges are over.
    fileprivate func exchanges(atLeast count: Int) async {
        while exchanges.count < count { await Task.yield() }
    }
}
