import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestStore
import Testing

@testable import LatchkeyPurchases

/// A presenter that simulates a user who completes the required steps with codes, or who dismisses them.
@MainActor private final class StepUser: Presenter {
    /// The steps that were presented.
    private(set) var duties: [Duty] = []
    private var attempts = 0
    private let server: TestServer
    private let dismisses: Bool

    init(_ server: TestServer, dismisses: Bool = false) {
        (self.server, self.dismisses) = (server, dismisses)
    }

    func present(_ login: LoginPresentation) async {
        for await screen in login.screens {
            switch screen {
            case .duty(let duty, let flow) where flow.state == .codeSent:
                duties.append(duty)
                guard let code = try? await server.code(for: StoreApp.phone) else { return }
                await login.submit(FlowSubmission(method: "code", ["code": .string(code)]))
            case .duty(let duty, let flow):
                guard !dismisses else {
                    duties.append(duty)
                    login.dismiss()
                    continue
                }
                attempts += 1
                guard attempts < 5 else { return login.dismiss() }
                // The server limits how often it sends a code to the same number.
                server.time.advance(by: .seconds(31))
                let name = flow.kind == .verification ? "email" : "identifier"
                await login.submit(FlowSubmission(method: "code", [name: .string(StoreApp.phone)]))
            case .failed, .form: return login.dismiss()
            case .loading, .browser, .otherApp, .ended: continue
            }
        }
    }
}

/// The keys of a device whose key store is locked.
private struct LockedKeys: DeviceKeyProvider {
    func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        throw DeviceKeyError(.unavailable, message: "The key store is locked.")
    }

    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        throw DeviceKeyError(.unavailable, message: "The key store is locked.")
    }

    func removeKey(_ storedForm: [UInt8]) {}
}

@Suite struct `Purchases that require a step of the user first` {
    private func unconfirmed(card: String? = TestCard.success) async throws -> StoreApp {
        let app = try await StoreApp.loggedIn(card: card)
        try await app.server.unconfirmAllAccounts()
        return app
    }

    @Test @MainActor func `A purchase presents the verification and then places the same order`() async throws
    {
        let app = try await unconfirmed()
        let user = StepUser(app.server)
        app.client.presenter = user

        let transaction = try await app.purchases.buy(app.product(TestProduct.coins))

        #expect(transaction.state == .purchased)
        #expect(user.duties == [.verifyAddress(nil)])
        #expect(app.orderKeys.count == 2 && Set(app.orderKeys).count == 1)
        #expect(try await app.purchases.transactions().map(\.id) == [transaction.id])
        #expect(try await app.purchases.record.read().orders == [])
        await app.server.stop()
    }

    @Test @MainActor func `Adding a card presents the verification and then adds the card once`() async throws
    {
        let app = try await unconfirmed(card: nil)
        let user = StepUser(app.server)
        app.client.presenter = user

        try await app.purchases.addSandboxCard(number: TestCard.success)

        #expect(user.duties.count == 1)
        #expect(try await app.purchases.paymentMethods().count == 1)
        await app.server.stop()
    }

    @Test func `Without a presenter, the purchase fails with a typed error and nothing is ordered`()
        async throws
    {
        let app = try await unconfirmed()

        let error = await failure { try await app.purchases.buy(app.product(TestProduct.coins)) }

        #expect(error?.code == .verificationRequired)
        #expect(error?.cause?.code == .dutyRequired)
        #expect(app.orderKeys.count == 1)
        #expect(try await app.purchases.record.read().orders == [])
        #expect(try await app.purchases.transactions() == [])
        await app.server.stop()
    }

    @Test @MainActor func `A dismissed verification fails the purchase, but no other action`() async throws {
        let app = try await unconfirmed()
        let user = StepUser(app.server, dismisses: true)
        app.client.presenter = user

        let error = await failure { try await app.purchases.buy(app.product(TestProduct.coins)) }

        #expect(error?.code == .verificationRequired)
        // Other actions don't have to wait for the verification.
        #expect(try await app.purchases.paymentMethods().count == 1)
        #expect(user.duties.count == 1)
        // The next purchase asks for it again.
        let second = await failure { try await app.purchases.buy(app.product(TestProduct.coins)) }
        #expect(second?.code == .verificationRequired)
        #expect(user.duties.count == 2)
        await app.server.stop()
    }

    @Test @MainActor func `An order above the limit presents a login and then places the same order`()
        async throws
    {
        let server = try await TestServer.withStore(logsExistingUsersIn: false, stepUpAbove: ["0.50 EUR"])
        let app = try StoreApp(server)
        try await app.logIn()
        try await app.purchases.addSandboxCard(number: TestCard.success)
        // A code to one of several addresses is enough, but a code to the only address isn't.
        try await server.addMailToAllAccounts()
        server.time.advance(by: .seconds(660))
        let user = StepUser(server)
        app.client.presenter = user

        let transaction = try await app.purchases.buy(app.product(TestProduct.coins))

        #expect(transaction.state == .purchased)
        #expect(user.duties == [.reauthenticate])
        #expect(Set(app.orderKeys).count == 1)
        await server.stop()
    }

    /// Why a device can't prove that it has its key.
    enum Obstacle: CaseIterable {
        case lockedKeyStore
        /// The server expects its own name in a proof.
        case otherName
    }

    @Test(arguments: Obstacle.allCases) @MainActor
    func `An order above the limit presents a login if the device can't prove its key`(
        _ obstacle: Obstacle
    ) async throws {
        let server = try await TestServer.withStore(logsExistingUsersIn: false, stepUpAbove: ["0.50 EUR"])
        let network = server.transport()
        let url = obstacle == .otherName ? "https://proxy.example" : TestServer.url
        network.reach(server, at: "https://proxy.example")
        let app = try StoreApp(server, network: network, url: url)
        try await app.logIn()
        try await app.purchases.addSandboxCard(number: TestCard.success)
        try await server.addMailToAllAccounts()
        // The key would be old enough.
        server.time.advance(by: .seconds(86_400))
        let restarted = try StoreApp(
            server,
            network: network,
            store: app.store,
            deviceKeys: obstacle == .lockedKeyStore ? LockedKeys() : nil,
            url: url
        )
        let user = StepUser(server, dismisses: true)
        restarted.client.presenter = user

        let error = await failure { try await restarted.purchases.buy(app.product(TestProduct.coins)) }

        #expect(user.duties == [.reauthenticate])
        #expect(error?.code == .reauthenticationRequired, "\(String(describing: error))")
        await server.stop()
    }

    @Test func `An order whose answer was lost is settled by the request for a step`() async throws {
        let app = try await unconfirmed()
        app.network.inject(.dropResponse, on: .post, "/a/commerce/orders")

        let error = await failure { try await app.purchases.buy(app.product(TestProduct.coins)) }

        #expect(error?.code == .verificationRequired)
        #expect(app.orderKeys.count == 2)
        #expect(try await app.purchases.record.read().orders == [])
        await app.server.stop()
    }

    @Test @MainActor func `A login that wouldn't be strong enough isn't asked for`() async throws {
        let server = try await TestServer.withStore(logsExistingUsersIn: false, stepUpAbove: ["0.50 EUR"])
        let app = try StoreApp(server)
        try await app.logIn()
        try await app.purchases.addSandboxCard(number: TestCard.success)
        let user = StepUser(server)
        app.client.presenter = user

        let error = await failure { try await app.purchases.buy(app.product(TestProduct.coins)) }

        #expect(error?.code == .deviceTooNew)
        #expect(user.duties == [])
        #expect(try await app.purchases.transactions() == [])
        await server.stop()
    }

    @Test(arguments: [Credential.accessToken, .sessionToken])
    func `An order above the limit needs no login on a device that was added a day ago`(
        _ credential: Credential
    ) async throws {
        let server = try await TestServer.withStore(stepUpAbove: ["0.50 EUR"])
        let app = try StoreApp(server, credential: credential)
        try await app.logIn()
        try await app.purchases.addSandboxCard(number: TestCard.success)
        let refused = await failure { try await app.purchases.buy(app.product(TestProduct.coins)) }
        #expect(refused?.code == .deviceTooNew)

        server.time.advance(by: .seconds(86_400))
        let transaction = try await app.purchases.buy(app.product(TestProduct.coins))

        #expect(transaction.state == .purchased)
        await server.stop()
    }

    @Test func `A gateway's page with status 403 isn't taken for a required step`() async throws {
        let app = try await StoreApp.loggedIn()
        app.network.inject(.respond(403), on: .post, "/a/commerce/orders")

        let error = await failure { try await app.purchases.buy(app.product(TestProduct.coins)) }

        #expect(error?.code != .verificationRequired)
        await app.server.stop()
    }
}
