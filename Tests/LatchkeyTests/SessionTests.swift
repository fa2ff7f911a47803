import Latchkey
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Sessions with a real server` {
    @Test func `The session is restored after a restart even if the server is unreachable`() async throws {
        let app = try await TestApp.loggedIn()
        await app.server.stop()

        let restarted = try app.restarted()
        var states = restarted.client.sessionStates.makeAsyncIterator()

        #expect(await states.next()?.session?.identity.phone?.e164 == TestAccount.phone)
        let error = await failure { try await restarted.client.checkSession() }
        #expect(error?.code == .unreachable)
        #expect(error?.isStillSignedIn == true)
    }

    @Test func `The session ends when its certificate is revoked`() async throws {
        let app = try await TestApp.loggedIn()
        let identity = try #require(app.client.sessionState.session).identity.id
        try await app.server.revokeCertificate(of: identity)

        #expect(try await app.client.checkSession().session == nil)

        #expect(app.isClean)
    }

    @Test func `The certificate is renewed with the same key after two thirds of its lifetime`() async throws
    {
        let app = try await TestApp.loggedIn(certificateLifespan: .seconds(30_000))
        let identity = try #require(app.client.sessionState.session).identity.id

        app.server.time.advance(by: .seconds(19_999))
        try await app.client.checkSession()
        #expect(try await app.server.certificates(of: identity) == (1, 1))

        app.server.time.advance(by: .seconds(1))
        try await app.client.checkSession()
        #expect(try await app.server.certificates(of: identity) == (2, 1))
        #expect(try await app.client.checkSession().session != nil)
    }

    @Test func `The session survives all responses from a proxy or an overloaded server`() async throws {
        let app = try await TestApp.loggedIn()
        for status in [301, 400, 401, 403, 404, 418, 500, 502, 503, 504] {
            app.network.inject(.respond(status), "/a/sessions/whoami")
            #expect(await failure { try await app.client.checkSession() } != nil)
        }

        #expect(app.client.sessionState.session != nil)
        #expect(try await app.client.checkSession().session != nil)
    }

    @Test func `The app's requests are authenticated as the user`() async throws {
        let app = try await TestApp.loggedIn()

        let (body, answer) = try await app.client.data(from: TestServer.url + "/a/sessions/whoami")

        #expect(answer.status == 200)
        #expect(!body.isEmpty)
        #expect(
            app.network.exchanges[0].request.headers["Authorization"]?.hasPrefix("Bearer lk_st_")
                == true
        )
    }

    @Test(arguments: ["http://api.example.com/me", "/me", "ftp://api.example.com/me"])
    func `The token is not sent over an unencrypted connection`(_ url: String) async throws {
        let app = try await TestApp.loggedIn()

        #expect(await failure { try await app.client.data(from: url) }?.code == .invalidInput)
        #expect(app.requestLines == [])
    }

    @Test(arguments: ["", "id.example.com", "http://id.example.com", "https://id.example.com?x=1"])
    func `A client cannot be created with an invalid server URL`(_ server: String) {
        #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: server, app: "com.example.shop") {
                $0.store = MemoryStore()
            }
        }
    }
}
