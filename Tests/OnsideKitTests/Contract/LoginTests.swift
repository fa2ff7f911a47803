import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `Login in OnsideKit` {
    @Test func `An explicit login succeeds and creates an account for a new user`() async throws {
        let app = try await OnsideApp.started()

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == nil)
        #expect(Onside.defaultPaymentQueue().storefront?.countryCode == "AT")
        // The game is another app than the one in which the account was created, so its owner is notified.
        let messages = OnsideRoute.current == .inSDK ? 1 : 2
        #expect(app.server.codes.messages(for: StoreApp.phone).count == messages)
        await app.server.stop()
    }

    @Test(arguments: [true, false])
    func `A returning user is logged in to the existing account`(_ logsExistingUsersIn: Bool) async throws {
        let server = try await TestServer.withStore(logsExistingUsersIn: logsExistingUsersIn)
        let app = try OnsideApp(server)
        let first = try StoreApp(server)
        try await first.logIn()
        server.time.advance(by: .seconds(61))

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == nil)
        #expect(
            Onside.client?.sessionState.session?.identity.id == first.client.sessionState.session?.identity.id
        )
        await app.server.stop()
    }

    @Test func `A dismissed login completes with loginDiscarded, and the reason is logged`() async throws {
        let app = try await OnsideApp.started { OnsideUser($0, dismisses: true) }

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == .loginDiscarded)
        #expect(app.discardedLogins.count == 1)
        #expect(app.discardedLogins[0].contains("dismissed"))
        await app.server.stop()
    }

    @Test func `The completion handler is optional`() async throws {
        let app = try await OnsideApp.started()
        let recorder = Recorder()

        Onside.requestLogin()

        #expect(await recorder.storefronts(1) == ["AT"])
        await app.server.stop()
    }

    @Test func `A logged-in user is not asked to log in again`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == nil)
        #expect(app.presenter.shopper.presentations == 1)
        await app.server.stop()
    }

    @Test func `A second request joins a login that is already presented`() async throws {
        let app = try await OnsideApp.started()

        let first = Task { await answer { Onside.requestLogin(completion: $0) } }
        let second = Task { await answer { Onside.requestLogin(completion: $0) } }
        let errors = [await first.value.error, await second.value.error]

        #expect(errors == [nil, nil])
        #expect(app.presenter.shopper.presentations == 1)
        await app.server.stop()
    }

    @Test func `Logging out during a login discards the login`() async throws {
        let app = try await OnsideApp.started { server in
            OnsideUser(server) { login in
                Onside.logout()
                _ = await login.ending()
            }
        }

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == .loginDiscarded)
        #expect(app.discardedLogins.first?.contains("signedOut") == true)
        await app.server.stop()
    }

    @Test func `A login whose presenter was deallocated is discarded`() async throws {
        let server = try await TestServer.withStore()
        let logger = LogRecorder()
        do {
            var configuration = OnsideConfiguration(
                server: TestServer.url,
                clientID: "com.example.arcade",
                presenter: OnsideUser(server)
            )
            configuration.client.store = MemoryStore()
            configuration.client.transport = server.transport()
            configuration.client.time = server.time
            configuration.client.logger = logger
            try Onside.initialize(configuration: configuration)
        }

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == .loginDiscarded)
        #expect(logger.events.contains { $0.name == "onside.presenter" })
        await server.stop()
    }

    @Test func `A network error is shown in the login, where the user can try again`() async throws {
        let app = try await OnsideApp.started()
        app.network.inject(.unreachable, on: .get, "/a/self-service/registration/api", times: 3)
        app.network.inject(.dropRequest, on: .post, "/a/self-service/registration", times: 2)

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == nil)
        #expect(app.presenter.shopper.presentations == 1)
        await app.server.stop()
    }

    @Test func `Logging out removes the session and the profile from the device`()
        async throws
    {
        let app = try await OnsideApp.started()
        await app.logIn()
        app.server.time.advance(by: .seconds(61))

        Onside.logout()

        #expect(Onside.defaultPaymentQueue().storefront == nil)
        if case .present = app.store.read() { Issue.record("The session is still stored.") }
        let result = await answer {
            Onside.defaultPaymentQueue().restoreCompletedTransactions(completion: $0)
        }
        #expect(result.error == nil)
        #expect(app.presenter.shopper.presentations == 2)
        await app.server.stop()
    }
}
