import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

/// The rules of `commerce.md` about who can spend an account's money.
@Suite("Spending money", .onEachDatabase)
struct MoneyRuleTests {
    /// Registers a person whose addresses aren't confirmed.
    private func unconfirmed() async throws -> Shop {
        try await Shop(registering: "person") { server in
            let answer = try await server.register()
            let id = answer["identity"]?["id"]?.text.flatMap { Identifier($0) }
            return (try #require(id), try #require(answer.sessionToken))
        }
    }

    private func expectDuty(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 403, sourceLocation: sourceLocation)
        #expect(answer.errorID == .dutyRequired, sourceLocation: sourceLocation)
        #expect(answer["error"]?["duty"] == "verify_address", sourceLocation: sourceLocation)
    }

    @Test func `An account that isn't confirmed can neither add a card nor order`() async throws {
        let shop = try await unconfirmed()
        expectDuty(try await shop.addCard())
        expectDuty(try await shop.order())
        #expect(try await shop.count("SELECT COUNT(*) FROM payment_methods") == 0)
        #expect(try await shop.count("SELECT COUNT(*) FROM purchases") == 0)
        #expect(try await shop.charges() == 0)
        // Reading and removing doesn't spend anything.
        #expect(await shop.get(Route.Commerce.paymentMethods).status == 200)
    }

    @Test func `After the account is confirmed, the same order succeeds with the same key`() async throws {
        let shop = try await unconfirmed()
        expectDuty(try await shop.order())
        try await shop.server.confirmAll()
        try await shop.addCard()
        #expect(try await shop.order().status == 201)
        #expect(try await shop.charges() == 1)
    }

    @Test func `An account that isn't confirmed can deny a payment but not approve it`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.confirmation)
        let (first, second) = (
            try await shop.order(key: "1").transactionID, try await shop.order(key: "2").transactionID
        )
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET confirmed_at = NULL")
        }
        expectDuty(try await shop.confirm(first, approve: true))
        #expect(try await shop.confirm(second, approve: false).state == "failed")
        #expect(try await shop.charges() == 0)
    }

    @Test(arguments: ["nb-NO", "de-AT", "en-US"])
    func `The price of an order doesn't depend on the languages of the request`(language: String) async throws
    {
        let shop = try await Shop(phone: "+46700000001")
        try await shop.addCard()
        let order = try await shop.order(headers: ["Accept-Language": language])
        #expect(order.transaction?["price"] == .object(["amount": 500, "currency": "USD"]))
        #expect(order.transaction?["country_code"] == "US")
    }

    // MARK: Step-up

    private func shop(limits: String...) async throws -> Shop {
        let shop = try await Shop { $0.commerce.stepUpAbove = limits.compactMap { Money($0) } }
        try await shop.addCard()
        return shop
    }

    @Test func `An order above the limit needs more than an old login`() async throws {
        let shop = try await shop(limits: "10.00 EUR")
        let refused = try await shop.order("pro", key: "1")
        #expect(refused.status == 403)
        #expect(refused.errorID == .deviceTooNew)
        #expect(refused["error"]?["reason"]?.text?.contains("wait a day") ?? false)
        #expect(try await shop.charges() == 0)
        // The limit is for the total of an order.
        #expect(try await shop.order("coins.100", key: "2", ["quantity": 2]).status == 201)
        #expect(try await shop.order("coins.100", key: "3", ["quantity": 3]).status == 403)
    }

    @Test(arguments: [("9.99 EUR", false), ("10.00 EUR", false), ("10.01 EUR", true), ("1.00 NOK", true)])
    func `An order needs a step-up above the limit of its currency`(total: String, isRequired: Bool) throws {
        let stepUp = StepUp(limits: [try #require(Money("10.00 EUR"))])
        #expect(stepUp.isRequired(for: try #require(Money(total))) == isRequired)
    }

    @Test func `The token that a login has replaced isn't enough`() async throws {
        let shop = try await oldShop()
        try await addMail(to: shop, age: .seconds(86_400))
        let login = try await shop.server.enter(.login, with: Shop.phone, token: shop.token, refresh: true)
        let token = try #require(login.sessionToken, "\(login.body)")
        #expect(try await shop.order("pro", key: "1").status == 403)
        #expect(try await shop.with(token: token).order("pro", key: "2").status == 201)
    }

    @Test func `Without a limit, no order needs a step-up`() async throws {
        let shop = try await shop()
        #expect(try await shop.order("pro").status == 201)
    }

    @Test func `An order in a currency without a limit needs a step-up if there are limits`() async throws {
        let shop = try await shop(limits: "100.00 NOK")
        #expect(try await shop.order("level-pack").status == 403)
    }

    /// Replaces the last login of the session.
    private func setLogin(_ shop: Shop, method: String, age: Duration, evidence: String? = nil) async throws {
        let at = shop.time.now - age
        try await shop.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE sessions SET method = $1, authenticated_at = $2, evidence = $3",
                .text(method),
                .time(at),
                .text(evidence ?? Shop.phone)
            )
        }
    }

    /// Adds a proven mail address to the account.
    private func addMail(to shop: Shop, age: Duration) async throws {
        let at = shop.time.now - age
        try await shop.database.transaction { transaction in
            _ = try transaction.execute(
                "INSERT INTO address_states (identity_id, via, value, state) VALUES ($1, 'email', $2, 'proven')",
                .identifier(shop.id),
                .text(Self.mail)
            )
            _ = try transaction.execute(
                """
                INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, created_at, \
                updated_at, position) VALUES ($1, $2, 'recovery', 'email', $3, 0, 'pending', $4, $4, 1)
                """,
                .identifier(Identifier(random: SystemRandom())),
                .identifier(shop.id),
                .text(Self.mail),
                .time(at)
            )
        }
    }

    private static let mail = "owner@example.org"

    /// Sets the account's password.
    private func setPassword(of shop: Shop, age: Duration) async throws {
        let at = shop.time.now - age
        try await shop.database.transaction { transaction in
            try IdentityRepository.setPassword("quick2:x", of: shop.id, at: at, in: transaction)
        }
    }

    /// Returns a shop with an account that was created two days ago.
    private func oldShop() async throws -> Shop {
        let shop = try await shop(limits: "10.00 EUR")
        try await shop.server.keepSessions(for: .seconds(10 * 86_400))
        shop.time.advance(by: .seconds(2 * 86_400))
        return shop
    }

    @Test(arguments: [
        ("password", 599, 201), ("password", 600, 403), ("code", 10, 201), ("code", 600, 403),
        ("code_recovery", 10, 403),
    ])
    func `A step-up is a recent login with a password or with a code to one of several addresses`(
        method: String,
        age: Int,
        status: Int
    ) async throws {
        let shop = try await oldShop()
        try await addMail(to: shop, age: .seconds(86_400))
        try await setPassword(of: shop, age: .seconds(86_400))
        try await setLogin(shop, method: method, age: .seconds(age))
        let answer = try await shop.order("pro")
        #expect(answer.status == status)
        if status == 403 { #expect(answer.errorID == .sessionRefreshRequired) }
    }

    @Test(arguments: [
        (86_400, 86_399, "password", 403), (86_399, 86_400, "password", 201), (86_399, 86_400, "code", 403),
        (86_400, 86_399, "code", 201),
    ])
    func `A factor that was added less than a day ago isn't enough`(
        mailAge: Int,
        passwordAge: Int,
        method: String,
        status: Int
    ) async throws {
        let shop = try await oldShop()
        try await addMail(to: shop, age: .seconds(mailAge))
        try await setPassword(of: shop, age: .seconds(passwordAge))
        try await setLogin(shop, method: method, age: .zero)
        #expect(try await shop.order("pro").status == status)
    }

    @Test func `A code to a new address isn't enough, even if the account has two older ones`() async throws {
        let shop = try await oldShop()
        try await addMail(to: shop, age: .seconds(86_400))
        try await setLogin(shop, method: "code", age: .zero, evidence: "new@example.org")
        #expect(try await shop.order("pro").status == 403)
    }

    @Test func `The password of a sign-up doesn't have to wait`() async throws {
        let shop = try await shop(limits: "10.00 EUR")
        try await setPassword(of: shop, age: .zero)
        try await setLogin(shop, method: "password", age: .zero)
        #expect(try await shop.order("pro").status == 201)
    }

    @Test func `If no login would be enough, the error doesn't ask for one`() async throws {
        let shop = try await oldShop()
        try await setLogin(shop, method: "code", age: .zero)
        let answer = try await shop.order("pro")
        #expect(answer.status == 403)
        #expect(answer.errorID == .deviceTooNew)
        #expect(try await shop.charges() == 0)
    }

    @Test func `Hashing the password again doesn't make it new`() async throws {
        let shop = try await oldShop()
        try await setPassword(of: shop, age: .seconds(86_400))
        try await shop.database.transaction { transaction in
            try IdentityRepository.rehash(shop.id, from: "quick2:x", to: "quick2:y", in: transaction)
        }
        try await setLogin(shop, method: "password", age: .zero)
        #expect(try await shop.order("pro").status == 201)
    }

    /// Stores a certificate for a key of the session.
    private func certify(_ key: SigningKey, of shop: Shop, age: Duration) async throws {
        let session = try #require(
            try await shop.database.rows("SELECT id FROM sessions").first?.identifier(0)
        )
        let (issued, end) = (shop.time.now - age, shop.time.now + .seconds(86_400))
        try await shop.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO certificates (serial, session_id, identity_id, key_thumbprint, issued_at, not_after) \
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                .blob([UInt8](repeating: 1, count: 16)),
                .identifier(session),
                .identifier(shop.id),
                .blob(key.publicKey.thumbprint),
                .time(issued),
                .time(end)
            )
        }
    }

    /// Returns the header fields with a proof of possession for an order.
    private func proof(_ key: SigningKey, in shop: Shop, token: String) throws -> HTTP.Headers {
        let proof = DPoPProof(
            method: .post,
            url: SelfServiceServer.url + "/a" + Route.Commerce.orders,
            id: Identifier().description,
            issuedAt: shop.time.now,
            accessTokenHash: SHA256.hash(Array(token.utf8))
        )
        return [
            DPoPProof.header: try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
        ]
    }

    @Test(arguments: [(86_400, 201), (86_399, 403)])
    func `A device key replaces the login once it is a day old`(age: Int, status: Int) async throws {
        let shop = try await shop(limits: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(age))
        #expect(try await shop.order("pro", key: "1").status == 403)
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", key: "2", headers: headers).status == status)
    }

    @Test(arguments: [(86_400, true, 201), (86_399, true, 403), (86_400, false, 403)])
    func `Without certificates, the key of the login replaces a later login`(
        age: Int,
        isKeyOfLogin: Bool,
        status: Int
    ) async throws {
        let shop = try await shop(limits: "10.00 EUR")
        let key = try SigningKey.generate()
        let issued = shop.time.now - .seconds(age)
        try await shop.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE sessions SET issued_at = $1, key_thumbprint = $2",
                .time(issued),
                .blob(isKeyOfLogin ? key.publicKey.thumbprint : [1])
            )
        }
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", headers: headers).status == status)
    }

    @Test func `The key of the login isn't enough once its certificate has been revoked`() async throws {
        let shop = try await shop(limits: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(100_000))
        let now = shop.time.now
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE certificates SET revoked_at = $1", .time(now))
            _ = try transaction.execute(
                "UPDATE sessions SET issued_at = $1, key_thumbprint = $2",
                .time(now - .seconds(100_000)),
                .blob(key.publicKey.thumbprint)
            )
        }
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", headers: headers).status == 403)
    }

    @Test func `A proof by a key without a certificate doesn't replace the login`() async throws {
        let shop = try await shop(limits: "10.00 EUR")
        try await certify(try SigningKey.generate(), of: shop, age: .seconds(100_000))
        let headers = try proof(try SigningKey.generate(), in: shop, token: shop.token)
        #expect(try await shop.order("pro", headers: headers).status == 403)
    }

    @Test func `A proof for another token or another request is rejected`() async throws {
        let shop = try await shop(limits: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(100_000))
        let other = try await shop.order("pro", headers: try proof(key, in: shop, token: "another token"))
        #expect(other.status == 401)
        #expect(other.errorID == .invalidDPoPProof)
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", key: "1", headers: headers).status == 201)
        #expect(try await shop.order("coins.100", key: "2", headers: headers).status == 401)
    }

    // MARK: Notices

    @Test func `The owner is notified of a new card and gets a receipt for each purchase`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        #expect(try await shop.server.recipients(of: .paymentMethodAdded) == [Shop.phone])
        let order = try await shop.order()
        _ = try await shop.order()
        #expect(try await shop.server.recipients(of: .receipt) == [Shop.phone])
        await shop.server.messagesAreSent()
        let receipt = try #require(
            shop.server.inbox.messages(for: Shop.phone).last { $0.template == "purchase_receipt" }
        )
        let text = receipt.body.exposed
        #expect(text.contains("100 coins") && text.contains("4.99 EUR"), "\(text) \(order.body)")
    }

    @Test func `A purchase that wasn't charged has no receipt`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.decline)
        _ = try await shop.order()
        #expect(try await shop.server.recipients(of: .receipt) == [])
    }

    @Test func `Receipts go to the proven mail address only, and text messages are limited`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        for key in 1...4 { _ = try await shop.order(key: "\(key)") }
        // Three text messages a day, one of which was the notice about the card.
        #expect(try await shop.server.recipients(of: .receipt).count == 2)
        #expect(try await shop.audited(.noticeWithheld) == 2)
        try await addMail(to: shop, age: .seconds(86_400))
        _ = try await shop.order(key: "5")
        #expect(try await shop.server.recipients(of: .receipt) == [Shop.phone, Shop.phone, Self.mail])
    }

    @Test func `A mail address that was added today doesn't divert the receipts`() async throws {
        let shop = try await oldShop()
        try await addMail(to: shop, age: .seconds(86_399))
        _ = try await shop.order("level-pack")
        #expect(try await shop.server.recipients(of: .receipt).sorted() == [Shop.phone, Self.mail])
    }

    @Test func `The operator can switch receipts and notices off`() async throws {
        let shop = try await Shop { $0.notices.isEnabled = false }
        try await shop.addCard()
        #expect(try await shop.order().status == 201)
        #expect(try await shop.server.recipients(of: .receipt) == [])
        #expect(try await shop.server.recipients(of: .paymentMethodAdded) == [])
    }

    // MARK: Erasure

    @Test func `Erasing an account cancels its pending payment at the provider`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.timeout)
        #expect(try await shop.order("level-pack").state == "purchasing")
        #expect(await shop.admin.send(.delete, "/admin/identities/\(shop.id)").status == 204)
        // Nothing that identifies the user is left.
        #expect(try await shop.count("SELECT COUNT(*) FROM purchases") == 0)
        #expect(try await shop.count("SELECT amount FROM erased_payments") == 100)
        try await shop.recover()
        #expect(try await shop.count("SELECT COUNT(*) FROM erased_payments") == 0)
        #expect(try await shop.count("SELECT COUNT(*) FROM sandbox_payments WHERE result = 'cancelled'") == 1)
    }

    @Test func `A payment that was charged before it could be cancelled is refunded`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.timeout)
        _ = try await shop.order("level-pack")
        #expect(await shop.admin.send(.delete, "/admin/identities/\(shop.id)").status == 204)
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE sandbox_payments SET result = 'charged'")
        }
        try await shop.recover()
        #expect(try await shop.refunds() == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM erased_payments") == 0)
    }

    @Test func `The reference of a payment stays until the provider answers`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.timeout)
        _ = try await shop.order("level-pack")
        #expect(await shop.admin.send(.delete, "/admin/identities/\(shop.id)").status == 204)
        let provider = UnreliableProvider(
            SandboxProvider(database: shop.database, random: SystemRandom(), delay: .zero)
        )
        let attempts = CounterTable<ErasedPaymentOutcome>(.erasedPayments)
        let recovery = ErasedPaymentCanceller(
            provider: provider,
            database: shop.database,
            time: shop.time,
            attempts: attempts
        )
        #expect(try await recovery.round(limit: 10) == 1)
        #expect(provider.calls == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM erased_payments") == 1)
        // The payment isn't due again until its lease has expired.
        #expect(try await recovery.round(limit: 10) == 0)
        #expect(provider.calls == 1)
        provider.answers()
        shop.time.advance(by: .seconds(11))
        #expect(try await recovery.round(limit: 10) == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM erased_payments") == 0)
        var text = MetricsText()
        attempts.write(to: &text)
        let lines = text.text.split(separator: "\n")
        #expect(lines.contains(#"latchkey_erased_payments_total{outcome="failed"} 1"#))
        #expect(lines.contains(#"latchkey_erased_payments_total{outcome="cancelled"} 1"#))
    }

    @Test(arguments: [(-1, true), (10, false), (70, false), (71, true), (3600, true)])
    func `A lease that ends later than a lease can end doesn't delay payments`(
        seconds: Int,
        isDue: Bool
    ) async throws {
        let shop = try await Shop()
        try await shop.addCard(.timeout)
        _ = try await shop.order("level-pack")
        let erased = try await shop.other()
        try await erased.addCard(.timeout)
        _ = try await erased.order("level-pack")
        #expect(await shop.admin.send(.delete, "/admin/identities/\(erased.id)").status == 204)
        let end = shop.time.now + .seconds(seconds)
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE purchases SET due_at = $1", .time(end))
            _ = try transaction.execute("UPDATE erased_payments SET due_at = $1", .time(end))
        }
        #expect(try await shop.server.services.purchaseRecovery?.round() == (isDue ? 2 : 0))
        // Both payments are reserved or completed.
        #expect(try await shop.server.services.purchaseRecovery?.round() == 0)
        #expect(try await shop.count("SELECT COUNT(*) FROM erased_payments") == (isDue ? 0 : 1))
    }
}

/// A payment provider that doesn't answer requests to cancel payments at first.
private final class UnreliableProvider: PaymentProvider {
    private struct Unavailable: Error {}

    private let state = Locked((isAvailable: false, calls: 0))
    private let provider: SandboxProvider

    init(_ provider: SandboxProvider) {
        self.provider = provider
    }

    var calls: Int { state.withLock { $0.calls } }

    func answers() {
        state.withLock { $0.isAvailable = true }
    }

    func register(_ number: Secret) async throws -> PaymentInstrument? { try await provider.register(number) }

    func charge(_ charge: PaymentCharge, at now: Timestamp) async throws -> PaymentResult {
        try await provider.charge(charge, at: now)
    }

    func cancel(_ transaction: Identifier, at now: Timestamp) async throws -> PaymentResult {
        let isAvailable = state.withLock { state in
            state.calls += 1
            return state.isAvailable
        }
        guard isAvailable else { throw Unavailable() }
        return try await provider.cancel(transaction, at: now)
    }

    func refund(_ transaction: Identifier, at now: Timestamp) async throws {
        try await provider.refund(transaction, at: now)
    }
}
