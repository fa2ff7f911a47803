import Latchkey
import LatchkeyTestKit
import Testing
import VipasoPay
import VipasoSDK

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `The authentication state of a Vipaso client` {
    @Test func `is known when the initializer returns`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        #expect(phone.vipaso.authenticationState == .loggedOut)
        #expect(!phone.vipaso.isAuthenticated)
        await phone.logInBusiness()

        let restarted = try phone.restarted()

        #expect(restarted.vipaso.authenticationState == .authenticated)
        #expect(restarted.vipaso.isAuthenticated)
    }

    @Test func `can be read and checked through the protocol`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        await phone.logInBusiness()
        let vipaso: any VipasoSDKProtocol = phone.vipaso
        #expect(vipaso.isAuthenticated && vipaso.authenticationState == .authenticated)
        phone.transport.inject(.answer(.sessionInactive), "/a/sessions/whoami")

        vipaso.checkAuthentication()

        #expect(await phone.delegate.changes(atLeast: 2) == [true, false])
        #expect(!vipaso.isAuthenticated && vipaso.authenticationState == .loggedOut)
    }

    @Test func `of Pay can be read and checked through the protocol`() async throws {
        let server = try await TestServer.withUsers()
        let (transport, delegate) = (server.transport(), Coordinator())
        let pay: any VipasoPayProtocol = try VipasoPayClient(
            configuration: Phone.configuration(server, MemoryStore(), transport)
        )
        pay.delegate = delegate
        #expect(!pay.isAuthenticated && pay.authenticationState == .loggedOut)
        let login = await answer { answer in
            pay.login(
                request: LoginRequest(identifier: Phone.number, password: Phone.passcode),
                completion: answer
            )
        }
        #expect(login.error == nil)
        #expect(pay.isAuthenticated && pay.authenticationState == .authenticated)
        transport.inject(.answer(.sessionInactive), "/a/sessions/whoami")

        pay.checkAuthentication()

        #expect(await delegate.changes(atLeast: 2) == [true, false])
    }

    @Test func `is unknown while the store is locked, and told once it is known`() async throws {
        let store = MemoryStore()
        let server = try await TestServer.withUsers()
        await (try Phone(server, store: store)).logInBusiness()
        store.lock()

        let phone = try Phone(server, store: store)
        #expect(phone.vipaso.authenticationState == .unknown)
        #expect(!phone.vipaso.isAuthenticated)
        store.unlock()
        phone.vipaso.checkAuthentication()

        #expect(await phone.delegate.changes(atLeast: 1) == [true])
        #expect(phone.vipaso.authenticationState == .authenticated)
    }

    @Test func `that was answered as unknown is told when no user is logged in`() async throws {
        let store = MemoryStore()
        store.lock()
        let phone = try Phone(await TestServer(), store: store)
        #expect(phone.vipaso.authenticationState == .unknown)

        store.unlock()
        phone.vipaso.checkAuthentication()

        #expect(await phone.delegate.changes(atLeast: 1) == [false])
        #expect(phone.vipaso.authenticationState == .loggedOut)
        phone.vipaso.user.business.logout()
        await mainActorIsIdle()
        #expect(phone.delegate.changes == [false])
    }

    @Test func `that no app asked for is not told when no user is logged in`() async throws {
        let store = MemoryStore()
        store.lock()
        let phone = try Phone(await TestServer(), store: store)
        #expect(!phone.vipaso.isAuthenticated)

        store.unlock()
        phone.vipaso.user.business.logout()
        await mainActorIsIdle()

        #expect(phone.delegate.changes == [])
    }
}

extension HTTPResponse {
    /// The identity server's verdict that there is no session.
    fileprivate static var sessionInactive: HTTPResponse {
        let text = #"{"error":{"id":"session_inactive","code":401,"status":"Unauthorized"}}"#
        return HTTPResponse(401, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }
}
