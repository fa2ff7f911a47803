import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import Testing
import VipasoSDK

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `Concurrent Vipaso logins` {
    @Test func `The newest login is stored, and the older one is reported as superseded`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        app.transport.inject(.delay(.seconds(5)), on: .put)
        let first = Task { await app.logInCustomer() }
        await app.server.time.sleepers(atLeast: 1)

        let second = await app.logInBusiness()

        #expect(await first.value.error == .superseded)
        #expect(second.error == nil)
        #expect(app.delegate.changes == [true])
        app.server.time.advance(by: .seconds(5))
        await mainActorIsIdle()
        #expect(app.delegate.changes == [true])
        #expect(try app.schema() == "business")
    }

    @Test func `The most recently started of two concurrent logins is stored`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        let user = app.vipaso.user

        let error = await answer { (answer: @escaping @MainActor (VipasoError?) -> Void) in
            user.business.login(
                request: LoginRequest(identifier: TestAccount.email, password: TestAccount.password)
            ) { answer($0.error) }
            user.customer.login(
                request: LoginRequest(identifier: TestAccount.phone, password: TestAccount.passcode)
            ) { _ in }
        }

        #expect(error == .superseded)
        #expect(await app.delegate.changes(atLeast: 1) == [true])
        #expect(try app.schema() == "customer")
    }
}

extension VipasoApp {
    /// Creates a new client for the store, as after a restart, and returns the logged-in user's schema.
    fileprivate func schema() throws -> String? {
        let client = try LatchkeyClient(server: TestServer.url, app: "com.example.shop") {
            $0.store = store
            $0.transport = server.transport()
            $0.time = server.time
        }
        return client.sessionState.session?.identity.schema
    }
}
