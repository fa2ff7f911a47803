import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

private let logout = "/a/self-service/logout/api"

@Suite(.onEachDatabase) struct `Revocation of sessions ended on the device` {
    /// Returns an app with a logged-in customer, and the session token.
    private func app() async throws -> (TestApp<MemoryStore>, token: String) {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)
        try await app.logIn()
        return (app, try app.token)
    }

    @Test func `A sign-out revokes the session on the server`() async throws {
        let (app, token) = try await app()

        let report = await app.client.signOutAndRevoke()

        #expect(report.isRevoked)
        #expect(report.storageFailure == nil)
        #expect(app.isClean)
        #expect(try await app.isRevoked(token))
        #expect(app.requestLines.last == "DELETE \(logout)")
    }

    @Test func `A sign-out takes effect without waiting for the server's response`() async throws {
        let (app, token) = try await app()
        app.network.inject(.unreachable, on: .delete, logout)

        #expect(app.client.signOut().storageFailure == nil)

        #expect(app.client.sessionState == .signedOut)
        #expect(await app.revocationsSettle() == false)
        #expect(app.isClean)
        #expect(try await !app.isRevoked(token))
    }

    @Test func `A failed revocation is retried after a delay`() async throws {
        let (app, token) = try await app()
        app.network.inject(.unreachable, on: .delete, logout, times: 2)
        app.network.inject(.respond(503), on: .delete, logout)
        #expect(await app.client.signOutAndRevoke().isRevoked == false)

        await app.server.time.advancing(by: .seconds(30)) {
            while await app.revocationsSettle() == false { await Task.yield() }
        }

        #expect(try await app.isRevoked(token))
        #expect(app.requestLines.count { $0 == "DELETE \(logout)" } == 4)
    }

    @Test func `A failed revocation is retried when the app starts again`() async throws {
        let (app, token) = try await app()
        app.network.inject(.unreachable, on: .delete, logout)
        #expect(await app.client.signOutAndRevoke().isRevoked == false)

        let restarted = try app.restarted()

        #expect(await restarted.revocationsSettle())
        #expect(try await app.isRevoked(token))
        #expect(restarted.client.sessionState == .signedOut)
    }

    @Test func `A login revokes the session that it replaces but not the new session`() async throws {
        let (app, token) = try await app()

        try await app.logIn()

        #expect(await app.revocationsSettle())
        #expect(try await app.isRevoked(token))
        #expect(try await !app.isRevoked(app.token))
    }

    @Test func `Refreshing tokens and re-authenticating do not revoke the session`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server, store: MemoryStore(), credential: .accessToken)
        try await app.logIn()
        _ = try await app.callAPI()
        app.expireTokens()
        _ = try await app.callAPI()

        try await app.client.account.reauthenticate(password: TestAccount.passcode)

        #expect(await app.revocationsSettle())
        #expect(!app.requestLines.contains("DELETE \(logout)"))
        #expect(try await !app.isRevoked(app.token))
    }

    @Test func `If a login completes after a sign-out, the new session is revoked`() async throws {
        let (app, _) = try await app()
        let issue = "/identity/pki/client/certificates"
        app.network.inject(.delay(.seconds(5)), on: .put, issue)
        let login = Task { try await app.logIn() }
        await app.server.time.sleepers(atLeast: 1)

        app.client.signOut()

        #expect(await failure { try await login.value }?.code == .signedOut)
        #expect(await app.revocationsSettle())
        #expect(app.requestLines.count { $0 == "DELETE \(logout)" } == 2)
        #expect(app.isClean)
    }

    @Test(arguments: [
        (403, #"{"code":403,"status":"Forbidden","message":"No."}"#, true),
        (401, #"{"id":"session_inactive","code":401,"status":"Unauthorized"}"#, true),
        (401, #"{"code":401,"status":"Unauthorized","message":"No."}"#, false),
        (400, #"{"code":400,"status":"Bad Request","message":"No."}"#, false),
        (403, #"{"id":"waf_blocked","code":403,"status":"Forbidden"}"#, false),
    ])
    func `Only a refusal that says that the session doesn't exist completes the revocation`(
        status: Int,
        error: String,
        isRevoked: Bool
    ) async throws {
        let (app, token) = try await app()
        let response = HTTP.Response(
            status,
            headers: ["Content-Type": "application/json"],
            body: Array(#"{"error":\#(error)}"#.utf8)
        )
        app.network.inject(.respond(response), on: .delete, logout)

        #expect(await app.client.signOutAndRevoke().isRevoked == isRevoked)

        guard !isRevoked else { return }
        #expect(await (try app.restarted()).revocationsSettle())
        #expect(try await app.isRevoked(token))
    }

    @Test func `A token of a sign-out while the clock wasn't set is revoked once it is`() async throws {
        let (app, token) = try await app()
        app.network.inject(.unreachable, on: .delete, logout, times: 1_000_000)
        let now = app.server.time.now
        app.server.time.stepWallClock(by: Timestamp(seconds: 60) - now)
        #expect(await app.client.signOutAndRevoke().isRevoked == false)

        app.server.time.stepWallClock(by: now - Timestamp(seconds: 60))
        app.network.removeFaults()

        #expect(await (try app.restarted()).revocationsSettle())
        #expect(try await app.isRevoked(token))
    }

    @Test(arguments: [200, 201, 302, 400, 401, 403, 404, 407, 429, 502, 511])
    func `A response from a proxy does not complete the revocation`(status: Int) async throws {
        let (app, token) = try await app()
        app.network.inject(.respond(status), on: .delete, logout)

        #expect(await app.client.signOutAndRevoke().isRevoked == false)
        #expect(await (try app.restarted()).revocationsSettle())
        #expect(try await app.isRevoked(token))
    }

    @Test func `A token is dropped if it could not be revoked within 30 days`() async throws {
        let (app, _) = try await app()
        app.network.inject(.unreachable, on: .delete, logout, times: 1_000_000)
        #expect(await app.client.signOutAndRevoke().isRevoked == false)

        app.server.time.advance(by: .seconds(30 * 86_400))

        #expect(await (try app.restarted()).revocationsSettle())
        #expect(await app.client.engine.sideRecord(.revocationOutbox) == nil)
    }

    @Test func `A token is dropped after 30 days even if later tokens are waiting`() async throws {
        let (app, first) = try await app()
        app.network.inject(.unreachable, on: .delete, logout, times: 1_000_000)
        #expect(await app.client.signOutAndRevoke().isRevoked == false)
        app.server.time.advance(by: .seconds(20 * 86_400))
        try await app.logIn()
        let later = try app.token
        #expect(await app.client.signOutAndRevoke().isRevoked == false)

        app.server.time.advance(by: .seconds(11 * 86_400))
        app.network.removeFaults()
        app.network.forgetExchanges()

        #expect(await (try app.restarted()).revocationsSettle())
        let bodies = app.identityExchanges.map { String(decoding: $0.request.body, as: UTF8.self) }
        #expect(bodies.contains { $0.contains(later) })
        #expect(!bodies.contains { $0.contains(first) })
        #expect(try await app.isRevoked(later))
    }

    @Test func `Signing out sends no request if the client does not revoke sessions`() async throws {
        let (app, token) = try await app()
        let client = try LatchkeyClient(server: TestServer.url, app: "com.example.silent") {
            $0.store = MemoryStore()
            $0.revokesSessions = false
            $0.transport = app.network
            $0.languages = []
            $0.time = app.clock
        }
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        app.network.forgetExchanges()

        #expect(await client.signOutAndRevoke().isRevoked == false)

        #expect(app.network.exchanges.isEmpty)
        #expect(try await !app.isRevoked(token))
    }
}

extension TestApp {
    /// The current session token.
    fileprivate var token: String {
        get throws {
            try #require(client.engine.keeper.held?.stored.sessionToken).exposed
        }
    }

    /// Waits until no revocation is in progress and returns whether all of them have completed.
    fileprivate func revocationsSettle() async -> Bool {
        await client.engine.revocations?.settle() ?? false
    }

    /// Returns whether the server no longer accepts a session token.
    fileprivate func isRevoked(_ token: String) async throws -> Bool {
        let request = HTTP.Request(.get, "/a/sessions/whoami", headers: ["X-Session-Token": token])
        return try await server.transport().send(request, to: TestServer.url).status == 401
    }
}

extension Engine {
    fileprivate func sideRecord(_ kind: SideRecordKind) async -> [UInt8]? {
        try? await sideRecords.read(kind)
    }
}
