import Latchkey
import LatchkeyTestKit
import Testing
import VipasoSDK

@MainActor
@Suite struct `Vipaso logout` {
    @Test func `A logout takes effect immediately and sends no requests`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        await app.logInCustomer()
        await app.server.stop()
        app.transport.forgetExchanges()

        app.vipaso.user.customer.logout()

        #expect(app.isClean)
        #expect(!app.vipaso.isAuthenticated)
        #expect(await app.delegate.changes(atLeast: 2) == [true, false])
        #expect(app.transport.exchanges.isEmpty)
    }

    @Test func `A logout without a session does not notify the delegate`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        app.vipaso.user.customer.logout()
        app.vipaso.user.business.logout()
        await mainActorIsIdle()

        #expect(app.delegate.changes == [])
    }

    @Test func `Logging out twice notifies the delegate only once`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        await app.logInBusiness()

        app.vipaso.user.business.logout()
        app.vipaso.user.business.logout()
        await mainActorIsIdle()

        #expect(app.delegate.changes == [true, false])
    }

    @Test func `If the app logs out right after starting a login, the login doesn't succeed`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        let result = await answer { answer in
            app.vipaso.user.customer.login(
                request: LoginRequest(identifier: TestAccount.phone, password: TestAccount.passcode),
                completion: answer
            )
            app.vipaso.user.customer.logout()
        }

        guard case .loggedOut = result.error else {
            Issue.record("The login was not prevented: \(result)")
            return
        }
        #expect(app.isClean)
        #expect(app.delegate.changes == [])
    }
}
