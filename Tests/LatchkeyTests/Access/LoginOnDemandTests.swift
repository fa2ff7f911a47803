import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) @MainActor struct `Login on demand` {
    @Test func `100 actions wait for one presented login and then all of them run`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter { login in
            await app.callers(100)
            await login.logIn()
        }

        let results = await app.actions(100).results

        let account = try #require(app.client.sessionState.session).identity.id
        #expect(results == [account: 100])
        #expect(presenter.logins.count == 1)
        #expect(presenter.logins[0].reason == .action(""))
        #expect(await presenter.logins[0].end() == .finished)
    }

    @Test(arguments: [false, true])
    func `An action that was started before a sign-out ends with it, even if its first step comes later`(
        isLoggedIn: Bool
    ) async throws {
        let app = try await isLoggedIn ? TestApp.loggedIn() : TestApp.loggedOut()
        let presenter = app.presenter()
        let start = app.client.actionStart()
        app.client.signOut()

        let code = await start.perform {
            await failure { try await app.client.withSession { _ in } }?.code
        }

        #expect(code == .signedOut)
        #expect(presenter.logins.isEmpty)
        // Tasks that outlive the action don't belong to it.
        let (ends, end) = AsyncStream<Void>.makeStream()
        let later = await start.perform {
            Task {
                for await _ in ends {}
                return try await app.client.requestLogin()
            }
        }
        end.finish()
        await presenter.login().dismiss()
        #expect(await failure { try await later.value }?.code == .dismissed)
    }

    @Test func `Dismissing the login fails all 100 waiting actions with the same reason`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()
        let actions = app.actions(100)
        await app.callers(100)

        await presenter.login().dismiss()

        #expect(await actions.results == ["dismissed": 100])
        #expect(presenter.logins.count == 1)
        #expect(await presenter.logins[0].end() == .dismissed)
        #expect(!app.isLoggedIn)
    }

    @Test func `A sign-out during a presentation fails the waiting actions with signedOut`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()
        let actions = app.actions(100)
        await app.callers(100)
        let login = await presenter.login()

        #expect(app.client.signOut().storageFailure == nil)

        #expect(await actions.results == ["signedOut": 100])
        #expect(await login.end() == .signedOut)
        #expect(presenter.logins.count == 1)
    }

    @Test func `A login that was submitted before a sign-out does not log the user in`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter { login in await login.logIn() }
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/self-service/login")
        let actions = app.actions(2)
        await app.server.time.sleepers(atLeast: 1)

        app.client.signOut()

        #expect(await actions.results == ["signedOut": 2])
        app.server.time.advance(by: .seconds(5))
        await app.network.settled()
        #expect(app.isClean)
        #expect(presenter.logins.count == 1)
    }

    @Test func `The form shows errors for rejected input, and valid input logs the user in`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter { login in
            await login.logIn(password: "111111")
            if case .form(let flow) = login.screen { #expect(flow.hasErrors) }
            await login.logIn()
        }

        let results = await app.actions(2).results

        #expect(results.values.map { $0 } == [2] && app.isLoggedIn)
        #expect(presenter.logins.count == 1)
    }

    @Test func `The user can retry a failed request`() async throws {
        let app = try await TestApp.loggedOut()
        app.network.inject(.unreachable, on: .get, "/a/self-service/login/api")
        let presenter = app.presenter { login in
            for await case .failed(let error) in login.screens {
                #expect(error.code == .unreachable)
                break
            }
            await login.retry()
            await login.logIn()
        }

        #expect(try await app.client.requestLogin() == app.client.sessionState.session)
        #expect(presenter.logins.count == 1)
    }

    @Test func `Cancelling an action does not dismiss the login for the others`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()
        let actions = app.actions(3)
        await app.callers(3)
        let login = await presenter.login()

        actions[0].cancel()

        #expect(await actions[0].value.code == .cancelled)
        await mainActorIsIdle()
        #expect(login.isOpen)
        await login.logIn()
        #expect(await Array(actions.dropFirst()).results.values.map { $0 } == [2])
    }

    @Test func `The presentation ends when the last waiting action is cancelled`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()
        let actions = app.actions(2)
        await app.callers(2)
        let login = await presenter.login()

        for action in actions { action.cancel() }

        #expect(await actions.results == ["cancelled": 2])
        #expect(await login.end() == .withdrawn)
    }

    @Test func `A requested login stays open if its caller is cancelled`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()
        let request = Task { try await app.client.requestLogin() }
        let login = await presenter.login()

        request.cancel()

        #expect(await failure { try await request.value }?.code == .cancelled)
        await mainActorIsIdle()
        #expect(login.isOpen)
        #expect(login.reason == .explicit)
        await login.logIn()
        #expect(await login.end() == .finished)
        #expect(app.isLoggedIn)
    }

    @Test func `A login that the app performs itself resumes the waiting actions`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()
        let actions = app.actions(100)
        await app.callers(100)
        let login = await presenter.login()

        try await app.logIn()

        #expect(await actions.results.values.map { $0 } == [100])
        #expect(await login.end() == .finished)
    }

    @Test func `A login in another process resumes the waiting actions`() async throws {
        let app = try await TestApp.loggedOut()
        let other = try app.restarted()
        let presenter = app.presenter()
        let actions = app.actions(100)
        await app.callers(100)
        let login = await presenter.login()

        try await other.logIn()

        #expect(await actions.results.values.map { $0 } == [100])
        #expect(await login.end() == .finished)
    }

    @Test func `A presenter that returns too early dismisses the login`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter { _ in await app.callers(2) }

        #expect(await app.actions(2).results == ["dismissed": 2])
        #expect(presenter.logins.map(\.isOpen) == [false])
    }

    @Test func `A deallocated presenter dismisses the login`() async throws {
        let app = try await TestApp.loggedOut()
        app.client.presenter = TestPresenter()
        #expect(app.client.presenter == nil)

        #expect(await failure { try await app.client.requestLogin() }?.code == .dismissed)
    }

    @Test func `An action without a presenter fails immediately`() async throws {
        let app = try await TestApp.loggedOut()
        #expect(await app.actions(100).results == ["noPresenter": 100])

        let presenter = app.presenter()
        app.client.presenter = nil
        #expect(await app.actions(1).results == ["noPresenter": 1])
        #expect(presenter.logins.isEmpty)
    }

    @Test func `The next login is presented after the presenter has returned`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter { login in
            await login.end()
            // The presenter's animation is still running.
            await app.callers(1)
            await mainActorIsIdle()
        }
        let first = app.actions(1)
        await presenter.login().dismiss()
        #expect(await first.results == ["dismissed": 1])

        let second = app.actions(1)
        let login = await presenter.login(2)
        await login.logIn()

        #expect(await second.results.values.map { $0 } == [1])
        #expect(presenter.concurrentCalls == 1)
    }

    @Test func `An action that must not present a login fails if there is no session`()
        async throws
    {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()

        let error = await failure { try await app.client.withSession(.never) { $0.session } }

        #expect(error?.code == .signedOut)
        #expect(presenter.logins.isEmpty)
        try await app.logIn()
        #expect(try await app.client.withSession(.never) { $0.session } == app.client.sessionState.session)
    }

    @Test func `A login is not presented while the store cannot be read`() async throws {
        let server = try await TestServer()
        let app = try TestApp(server, store: MemoryStore())
        app.store.fail(with: SessionStoreError(.locked, message: "The keyring is locked."))
        let locked = try app.restarted()
        let presenter = TestPresenter()
        locked.client.presenter = presenter

        #expect(await locked.actions(10).results == ["storageUnavailable": 10])
        #expect(presenter.logins.isEmpty)
    }

    @Test func `A logged-in user is not asked to log in`() async throws {
        let app = try await TestApp.loggedIn()
        let presenter = app.presenter()

        #expect(try await app.client.requestLogin() == app.client.sessionState.session)
        #expect(await app.actions(3).results.values.map { $0 } == [3])
        #expect(presenter.logins.isEmpty)
    }
}

extension Result<String, LatchkeyError> {
    /// The error code, if the call failed.
    fileprivate var code: LatchkeyError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
