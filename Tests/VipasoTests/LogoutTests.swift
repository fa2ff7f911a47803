import Latchkey
import LatchkeyTestKit
import Testing
import VipasoSDK

@MainActor
@Suite struct `A Vipaso logout` {
    @Test func `is done when it returns, with the server stopped and without a request`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        await phone.logInCustomer()
        await phone.server.stop()
        phone.transport.forgetExchanges()

        phone.vipaso.user.customer.logout()

        #expect(phone.isClean)
        #expect(!phone.vipaso.isAuthenticated)
        #expect(await phone.delegate.changes(atLeast: 2) == [true, false])
        #expect(phone.transport.exchanges.isEmpty)
    }

    @Test func `while nobody is logged in tells nobody`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        phone.vipaso.user.customer.logout()
        phone.vipaso.user.business.logout()
        await mainActorIsIdle()

        #expect(phone.delegate.changes == [])
    }

    @Test func `twice tells the delegate once`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        await phone.logInBusiness()

        phone.vipaso.user.business.logout()
        phone.vipaso.user.business.logout()
        await mainActorIsIdle()

        #expect(phone.delegate.changes == [true, false])
    }

    @Test func `right after a login that has not answered prevents it`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        let result = await answer { answer in
            phone.vipaso.user.customer.login(
                request: LoginRequest(identifier: Phone.number, password: Phone.passcode),
                completion: answer
            )
            phone.vipaso.user.customer.logout()
        }

        guard case .loggedOut = result.error else {
            Issue.record("The login was not prevented: \(result)")
            return
        }
        #expect(phone.isClean)
        #expect(phone.delegate.changes == [])
    }
}
