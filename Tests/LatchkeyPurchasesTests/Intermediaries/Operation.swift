import Latchkey
import LatchkeyModel
import LatchkeyPurchases
import LatchkeyTestKit
import LatchkeyWire
import TestStore
import Testing

/// A device behind an intermediary, with a user who has a card and has bought coins.
struct Bystander: Sendable {
    let app: StoreApp
    let intermediary: Intermediary
    let phone: String
    /// A phone number without an account.
    let otherPhone: String

    /// Logs a new user in.
    init(_ server: TestServer, number: Int) async throws {
        (phone, otherPhone) = ("+43664\(1_000_000 + number)", "+43676\(1_000_000 + number)")
        let network = server.transport()
        intermediary = Intermediary(server, on: network)
        app = try StoreApp(server, network: network)
        try await app.logIn(phone: phone)
        try await app.purchases.addSandboxCard(number: TestCard.success)
        // The client requests the transactions in the background after a login.
        try await app.purchases.refreshed()
    }
}

extension Purchases {
    /// Refreshes the transactions, and repeats this if the clock was advanced during a request in the background.
    func refreshed() async throws {
        for _ in 0..<5 {
            do throws(PurchaseError) {
                return try await refresh()
            } catch {
                guard error.code == .unavailable else { throw error }
            }
        }
        try await refresh()
    }
}

/// A public operation of the SDK that sends requests.
struct Operation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Prepares the operation, and returns a closure that performs it.
    let prepare: @Sendable (Bystander) async throws -> @Sendable () async throws -> Void

    init(
        preparing name: String,
        prepare: @escaping @Sendable (Bystander) async throws -> @Sendable () async throws -> Void
    ) {
        testDescription = name
        self.prepare = prepare
    }

    /// Returns whether an intermediary's response can't be told from one of the server.
    func accepts(_ interference: Interference) -> Bool {
        let (name, format) = (testDescription, interference.testDescription)
        return name == "account.otherSessions" && format.hasPrefix("JSON 200 []")
            || name == "signUp.verify" && format.hasPrefix(#"JSON 200 {"message":"ok"}"#)
    }

    /// Returns whether a request isn't part of the operation, because the client sends it in the background.
    func isBackground(_ route: String) -> Bool {
        !testDescription.hasPrefix("purchases.") && Intermediary.backgroundRoutes.contains(route)
    }

    /// Creates an operation that needs no preparation.
    init(_ name: String, call: @escaping @Sendable (Bystander) async throws -> Void) {
        testDescription = name
        prepare = { bystander in { try await call(bystander) } }
    }

    static let all = accountOperations + signInOperations + purchaseOperations

    private static let accountOperations = [
        Operation("checkSession") { _ = try await $0.app.client.checkSession() },
        Operation("account.identity") { _ = try await $0.app.client.account.identity() },
        Operation("account.otherSessions") { _ = try await $0.app.client.account.otherSessions() },
        Operation("account.revokeOtherSessions") {
            _ = try await $0.app.client.account.revokeOtherSessions()
        },
        Operation(preparing: "account.revokeSession") { bystander in
            let other = try StoreApp(bystander.app.server)
            try await other.logIn(phone: bystander.phone)
            let id = try #require(try await bystander.app.client.account.otherSessions().first?.id)
            return { try await bystander.app.client.account.revokeSession(id) }
        },
        Operation("account.export") { _ = try await $0.app.client.account.export() },
        Operation("account.delete") { _ = try await $0.app.client.account.delete() },
        Operation("account.update") { bystander in
            try await bystander.app.client.account.update { $0["region"] = "AT" }
        },
        Operation("verification.sendCode") { bystander in
            bystander.app.server.time.advance(by: .seconds(61))
            _ = try await bystander.app.client.verification.sendCode(to: bystander.phone)
        },
        Operation("recovery.sendCode") { bystander in
            bystander.app.server.time.advance(by: .seconds(61))
            _ = try await bystander.app.client.recovery.sendCode(to: bystander.phone)
        },
    ]

    private static let signInOperations = [
        Operation("signIn.sendCode") { bystander in
            bystander.app.server.time.advance(by: .seconds(61))
            _ = try await bystander.app.client.codeSignIn.sendCode(
                to: bystander.phone,
                orSignUpWith: [:],
                schema: "shopper"
            )
        },
        Operation(preparing: "signIn.verify") { bystander in
            let app = bystander.app
            app.server.time.advance(by: .seconds(61))
            let sent = try await app.client.codeSignIn.sendCode(
                to: bystander.phone,
                orSignUpWith: [:],
                schema: "shopper"
            )
            let code = try await app.server.code(for: bystander.phone)
            return { try await sent.verify(code) }
        },
        Operation("signUp.begin") { bystander in
            _ = try await bystander.app.client.signUp.begin(phone: bystander.otherPhone)
        },
        Operation(preparing: "signUp.resend") { bystander in
            let sent = try await bystander.app.client.signUp.begin(phone: bystander.otherPhone)
            bystander.app.server.time.advance(by: .seconds(61))
            return { try await sent.resend() }
        },
        Operation(preparing: "signUp.verify") { bystander in
            let sent = try await bystander.app.client.signUp.begin(phone: bystander.otherPhone)
            let code = try await bystander.app.server.code(for: bystander.otherPhone)
            return { _ = try await sent.verify(code) }
        },
        Operation(preparing: "signUp.finish") { bystander in
            let server = bystander.app.server
            let app = try StoreApp(server, network: bystander.app.network)
            let sent = try await app.client.signUp.begin(phone: bystander.otherPhone)
            let verified = try await sent.verify(server.code(for: bystander.otherPhone))
            return { try await verified.finish(password: "271828", name: PersonName(first: "A", last: "B")) }
        },
    ]

    private static let purchaseOperations = [
        Operation("purchases.storefront") { _ = try await $0.app.purchases.storefront() },
        Operation("purchases.products") { _ = try await $0.app.purchases.products() },
        Operation("purchases.paymentMethods") { _ = try await $0.app.purchases.paymentMethods() },
        Operation("purchases.addSandboxCard") { bystander in
            try await bystander.app.purchases.addSandboxCard(number: TestCard.decline)
        },
        Operation(preparing: "purchases.makeDefault") { bystander in
            let purchases = bystander.app.purchases
            let card = try await purchases.addSandboxCard(number: TestCard.decline)
            return { try await purchases.makeDefault(card.id) }
        },
        Operation(preparing: "purchases.removePaymentMethod") { bystander in
            let purchases = bystander.app.purchases
            let card = try await purchases.addSandboxCard(number: TestCard.decline)
            return { try await purchases.removePaymentMethod(card.id) }
        },
        Operation(preparing: "purchases.buy") { bystander in
            let coins = try await bystander.app.product(TestProduct.coins)
            return { _ = try await bystander.app.purchases.buy(coins) }
        },
        Operation("purchases.refresh") { try await $0.app.purchases.refresh() },
        Operation("purchases.transactions") { _ = try await $0.app.purchases.transactions() },
        Operation(preparing: "purchases.transaction") { bystander in
            let purchases = bystander.app.purchases
            let id = try await purchases.buy(bystander.app.product(TestProduct.coins)).id
            return { _ = try await purchases.transaction(id) }
        },
        Operation(preparing: "purchases.confirm") { bystander in
            let purchases = bystander.app.purchases
            let card = try await purchases.addSandboxCard(number: TestCard.confirmation)
            let coins = try await bystander.app.product(TestProduct.coins)
            let transaction = try await purchases.buy(coins, paymentMethod: card.id)
            return { try await purchases.confirm(transaction.id, approve: true) }
        },
        Operation("purchases.restore") { _ = try await $0.app.purchases.restore() },
        Operation("purchases.entitlements") { _ = try await $0.app.purchases.entitlements() },
        Operation("purchases.history") { _ = try await $0.app.purchases.history(for: "com.example.arcade") },
    ]
}
