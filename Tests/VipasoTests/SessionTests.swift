import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing
import VipasoSDK

@MainActor
@Suite(.onEachDatabase) struct `Vipaso sessions` {
    @Test func `The session is restored after a restart when the server is unreachable`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        await app.logInBusiness()
        await app.server.stop()

        let restarted = try app.restarted()

        #expect(await restarted.delegate.changes(atLeast: 1) == [true])
        #expect(restarted.vipaso.isAuthenticated)
        restarted.vipaso.checkAuthentication()
        await restarted.transport.exchanges(atLeast: 2)
        await mainActorIsIdle()
        #expect(restarted.delegate.changes == [true])
        #expect(Set(restarted.requestLines) == ["GET /a/sessions/whoami"])
    }

    @Test func `A session that the server has ended is noticed by the next check and reported once`()
        async throws
    {
        let app = try VipasoApp(await TestServer.withUsers())
        await app.logInBusiness()
        try await app.endSessionOnServer()

        for _ in 1...5 { app.vipaso.checkAuthentication() }
        #expect(await app.delegate.changes(atLeast: 2) == [true, false])
        app.vipaso.checkAuthentication()
        await mainActorIsIdle()

        #expect(app.delegate.changes == [true, false])
        #expect(await app.becomesClean())
    }

    @Test func `A session that ended while the app was closed is noticed after the restart`()
        async throws
    {
        let app = try VipasoApp(await TestServer.withUsers())
        await app.logInBusiness()
        try await app.endSessionOnServer()

        let restarted = try app.restarted()

        #expect(await restarted.delegate.changes(atLeast: 2) == [true, false])
        #expect(await restarted.becomesClean())
    }

    @Test func `A delegate that is set after the login is notified once`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        await app.logInBusiness()
        let late = Coordinator()

        app.vipaso.delegate = late
        app.vipaso.delegate = late

        #expect(await late.changes(atLeast: 1) == [true])
        await mainActorIsIdle()
        app.vipaso.user.business.logout()
        #expect(await late.changes(atLeast: 2) == [true, false])
        #expect(app.delegate.changes == [true])
    }

    @Test func `The delegate is held weakly`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        var delegate: Coordinator? = Coordinator()
        app.vipaso.delegate = delegate
        #expect(app.vipaso.delegate === delegate)
        weak let reference = delegate

        delegate = nil
        await app.logInBusiness()

        #expect(reference == nil)
        #expect(app.vipaso.delegate == nil)
    }
}

extension VipasoApp {
    /// Revokes the session on the server, as if the user had logged out in another client.
    func endSessionOnServer() async throws {
        let certified = transport.exchanges.last { $0.request.method == .put }
        let token = try #require(certified?.request.headers["X-Session-Token"])
        var request = HTTP.Request(.delete, "/a/self-service/logout/api")
        request.headers["Content-Type"] = "application/json"
        request.body = Array(#"{"session_token":"\#(token)"}"#.utf8)
        let answer = try await server.transport().send(request, to: TestServer.url)
        #expect(answer.status == 204)
    }
}

extension TestTransport {
    /// Waits until the given number of exchanges have completed.
    fileprivate func exchanges(atLeast count: Int) async {
        while exchanges.count < count { await Task.yield() }
    }
}
