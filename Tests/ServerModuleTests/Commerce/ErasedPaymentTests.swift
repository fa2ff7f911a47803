import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Payments of erased accounts", .onEachDatabase)
struct ErasedPaymentTests {
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

    @Test func `Erasing an account cancels a payment that waits for a confirmation`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.confirmation)
        #expect(try await shop.order("coins.100", ["quantity": 2]).state == "deferred")
        #expect(await shop.admin.send(.delete, "/admin/identities/\(shop.id)").status == 204)
        #expect(try await shop.count("SELECT amount FROM erased_payments") == 998)
        try await shop.recover()
        #expect(try await shop.count("SELECT COUNT(*) FROM erased_payments") == 0)
        #expect(try await shop.charges() == 0)
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
        #expect(try await shop.server.assembly.commerce?.recovery.round() == (isDue ? 2 : 0))
        // Both payments are reserved or completed.
        #expect(try await shop.server.assembly.commerce?.recovery.round() == 0)
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
