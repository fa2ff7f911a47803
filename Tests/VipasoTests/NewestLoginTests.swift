import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import Testing
import VipasoSDK

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `Of two Vipaso logins at the same time` {
    @Test func `the newest one is stored, and the other one is told that it was superseded`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        phone.transport.inject(.delay(.seconds(5)), on: .put)
        let first = Task { await phone.logInCustomer() }
        await phone.server.time.sleepers(atLeast: 1)

        let second = await phone.logInBusiness()

        #expect(await first.value.error == .superseded)
        #expect(second.error == nil)
        #expect(phone.delegate.changes == [true])
        phone.server.time.advance(by: .seconds(5))
        await mainActorIsIdle()
        #expect(phone.delegate.changes == [true])
        #expect(try phone.schema() == "business")
    }

    @Test func `the one that was called last is stored, also when both are called at once`() async throws {
        let phone = try Phone(await TestServer.withUsers())
        let user = phone.vipaso.user

        let error = await answer { (answer: @escaping @MainActor (VipasoError?) -> Void) in
            user.business.login(
                request: LoginRequest(identifier: Phone.email, password: Phone.password)
            ) { answer($0.error) }
            user.customer.login(
                request: LoginRequest(identifier: Phone.number, password: Phone.passcode)
            ) { _ in }
        }

        #expect(error == .superseded)
        #expect(await phone.delegate.changes(atLeast: 1) == [true])
        #expect(try phone.schema() == "customer")
    }
}

extension Phone {
    /// The schema of the user who is logged in, as the app finds it after a restart.
    fileprivate func schema() throws -> String? {
        let client = try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.shop",
            store: store,
            transport: server.transport(),
            time: server.time
        )
        return client.sessionState.session?.identity.schema
    }
}
