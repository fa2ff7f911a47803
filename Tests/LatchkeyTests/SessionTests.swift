import Latchkey
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `A session with a real server` {
    @Test func `is there after a restart without a server`() async throws {
        let handset = try await Handset.loggedIn()
        await handset.server.stop()

        let restarted = try handset.restarted()
        var states = restarted.client.sessionStates.makeAsyncIterator()

        #expect(await states.next()?.session?.identity.phone?.e164 == Handset.phone)
        let error = await failure { try await restarted.client.checkSession() }
        #expect(error?.code == .unreachable)
        #expect(error?.sessionHolds == true)
    }

    @Test func `ends with its certificate`() async throws {
        let handset = try await Handset.loggedIn()
        let identity = try #require(handset.client.sessionState.session).identity.id
        try await handset.server.revokeCertificate(of: identity)

        #expect(try await handset.client.checkSession().session == nil)

        #expect(handset.isClean)
    }

    @Test func `renews its certificate with the same key at two thirds of its life`() async throws {
        let handset = try await Handset.loggedIn(certificateLifespan: .seconds(30_000))
        let identity = try #require(handset.client.sessionState.session).identity.id

        handset.server.time.advance(by: .seconds(19_999))
        try await handset.client.checkSession()
        #expect(try await handset.server.certificates(of: identity) == (1, 1))

        handset.server.time.advance(by: .seconds(1))
        try await handset.client.checkSession()
        #expect(try await handset.server.certificates(of: identity) == (2, 1))
        #expect(try await handset.client.checkSession().session != nil)
    }

    @Test func `survives whatever a proxy or a tired server answers`() async throws {
        let handset = try await Handset.loggedIn()
        for status in [301, 400, 401, 403, 404, 418, 500, 502, 503, 504] {
            handset.transport.inject(.answer(status), "/a/sessions/whoami")
            #expect(await failure { try await handset.client.checkSession() } != nil)
        }

        #expect(handset.client.sessionState.session != nil)
        #expect(try await handset.client.checkSession().session != nil)
    }

    @Test func `lets the app ask in the person's name`() async throws {
        let handset = try await Handset.loggedIn()

        let (body, answer) = try await handset.client.data(from: TestServer.url + "/a/sessions/whoami")

        #expect(answer.status == 200)
        #expect(!body.isEmpty)
        #expect(
            handset.transport.exchanges[0].request.headers["Authorization"]?.hasPrefix("Bearer lk_st_")
                == true
        )
    }

    @Test(arguments: ["http://api.example.com/me", "/me", "ftp://api.example.com/me"])
    func `sends its token nowhere that is not confidential`(_ url: String) async throws {
        let handset = try await Handset.loggedIn()

        #expect(await failure { try await handset.client.data(from: url) }?.code == .invalidInput)
        #expect(handset.log == [])
    }

    @Test(arguments: ["", "id.example.com", "http://id.example.com", "https://id.example.com?x=1"])
    func `is not looked for at a server's address that cannot be right`(_ server: String) {
        #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: server, app: "com.example.shop", store: MemoryStore())
        }
    }
}
