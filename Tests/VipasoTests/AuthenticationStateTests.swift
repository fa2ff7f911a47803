import Latchkey
import LatchkeyTestKit
import Testing
import VipasoPay
import VipasoSDK

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `Vipaso authentication state` {
    @Test func `The authentication state is known when the initializer returns`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        #expect(app.vipaso.authenticationState == .loggedOut)
        #expect(!app.vipaso.isAuthenticated)
        await app.logInBusiness()

        let restarted = try app.restarted()

        #expect(restarted.vipaso.authenticationState == .authenticated)
        #expect(restarted.vipaso.isAuthenticated)
    }

    @Test func `The authentication state can be read and checked through the protocol`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        await app.logInBusiness()
        let vipaso: any VipasoSDKProtocol = app.vipaso
        #expect(vipaso.isAuthenticated && vipaso.authenticationState == .authenticated)
        app.transport.inject(.respond(.sessionInactive), "/a/sessions/whoami")

        vipaso.checkAuthentication()

        #expect(await app.delegate.changes(atLeast: 2) == [true, false])
        #expect(!vipaso.isAuthenticated && vipaso.authenticationState == .loggedOut)
    }

    @Test func `The Pay authentication state can be read and checked through the protocol`() async throws {
        let server = try await TestServer.withUsers()
        let (transport, delegate) = (server.transport(), Coordinator())
        let pay: any VipasoPayProtocol = try VipasoPayClient(
            configuration: VipasoApp.configuration(server, MemoryStore(), transport)
        )
        pay.delegate = delegate
        #expect(!pay.isAuthenticated && pay.authenticationState == .loggedOut)
        let login = await answer { answer in
            pay.login(
                request: LoginRequest(identifier: TestAccount.phone, password: TestAccount.passcode),
                completion: answer
            )
        }
        #expect(login.error == nil)
        #expect(pay.isAuthenticated && pay.authenticationState == .authenticated)
        transport.inject(.respond(.sessionInactive), "/a/sessions/whoami")

        pay.checkAuthentication()

        #expect(await delegate.changes(atLeast: 2) == [true, false])
    }

    @Test func `The state is unknown until the store is unlocked`() async throws {
        let store = MemoryStore()
        let server = try await TestServer.withUsers()
        await (try VipasoApp(server, store: store)).logInBusiness()
        store.lock()

        let app = try VipasoApp(server, store: store)
        #expect(app.vipaso.authenticationState == .unknown)
        #expect(!app.vipaso.isAuthenticated)
        store.unlock()
        app.vipaso.checkAuthentication()

        #expect(await app.delegate.changes(atLeast: 1) == [true])
        #expect(app.vipaso.authenticationState == .authenticated)
    }

    @Test func `The logged-out state is reported if the app has seen the unknown state`() async throws {
        let store = MemoryStore()
        store.lock()
        let app = try VipasoApp(await TestServer(), store: store)
        #expect(app.vipaso.authenticationState == .unknown)

        store.unlock()
        app.vipaso.checkAuthentication()

        #expect(await app.delegate.changes(atLeast: 1) == [false])
        #expect(app.vipaso.authenticationState == .loggedOut)
        app.vipaso.user.business.logout()
        await mainActorIsIdle()
        #expect(app.delegate.changes == [false])
    }

    @Test func `A logged-out state is not reported if the app has not read the state`() async throws {
        let store = MemoryStore()
        store.lock()
        let app = try VipasoApp(await TestServer(), store: store)
        #expect(!app.vipaso.isAuthenticated)

        store.unlock()
        app.vipaso.user.business.logout()
        await mainActorIsIdle()

        #expect(app.delegate.changes == [])
    }
}

extension HTTP.Response {
    /// A response from the identity server that says that the session is inactive.
    fileprivate static var sessionInactive: HTTP.Response {
        let text = #"{"error":{"id":"session_inactive","code":401,"status":"Unauthorized"}}"#
        return HTTP.Response(401, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }
}
