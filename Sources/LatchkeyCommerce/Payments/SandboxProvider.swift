package import LatchkeyModel
package import LatchkeyServerKit

/// A payment provider for testing.
///
/// No real money is involved. The payments are stored in a table of the server's database. A row is inserted
/// when a payment has a result. The transaction's id is the primary key, so a payment is never charged twice.
package struct SandboxProvider: PaymentProvider {
    private let database: any Database
    private let random: any RandomSource
    private let delay: Duration

    /// Creates the provider.
    ///
    /// - Parameters:
    ///   - database: The database that contains the ledger.
    ///   - random: The random source for tokens.
    ///   - delay: How long payments with ``SandboxCard/timeout`` remain pending.
    package init(database: any Database, random: any RandomSource, delay: Duration) {
        self.database = database
        self.random = random
        self.delay = delay
    }

    /// Creates a token for a sandbox card.
    ///
    /// All other numbers are rejected, so real cards are never stored.
    package func register(_ number: Secret) async throws -> PaymentInstrument? {
        guard let card = SandboxCard(number: number) else { return nil }
        return PaymentInstrument(token: card.token(random: random), brand: "sandbox", lastFour: card.lastFour)
    }

    package func charge(_ charge: PaymentCharge, at now: Timestamp) async throws -> PaymentResult {
        guard let card = SandboxCard(token: charge.token) else { return .declined }
        if card == .confirmation, !charge.isConfirmed {
            // If the payment has already been cancelled or charged, return that result.
            return try await SandboxLedger.result(of: charge.transaction, in: database)
                ?? .confirmationRequired
        }
        return try await database.transaction { [delay] transaction in
            let entry = SandboxLedger.Entry(charge, result: card.firstResult, at: now)
            if try SandboxLedger.insert(entry, in: transaction) { return entry.result }
            if card == .timeout {
                // Clients can test both results: payments of an even amount succeed, and payments of an odd
                // amount time out.
                try SandboxLedger.resolve(
                    charge.transaction,
                    as: charge.amount.amount.isMultiple(of: 2) ? .charged : .timedOut,
                    begunBefore: now - delay,
                    in: transaction
                )
            }
            return try SandboxLedger.result(of: charge.transaction, in: transaction) ?? .pending
        }
    }

    package func cancel(_ transaction: Identifier, at now: Timestamp) async throws -> PaymentResult {
        try await database.transaction { connection in
            let entry = SandboxLedger.Entry(cancelling: transaction, at: now)
            if try SandboxLedger.insert(entry, in: connection) { return .cancelled }
            try SandboxLedger.resolve(transaction, as: .cancelled, begunBefore: nil, in: connection)
            return try SandboxLedger.result(of: transaction, in: connection) ?? .cancelled
        }
    }

    package func refund(_ transaction: Identifier, at now: Timestamp) async throws {
        try await database.transaction { try SandboxLedger.refund(transaction, at: now, in: $0) }
    }
}

extension SandboxCard {
    /// The initial result of a payment with this card.
    fileprivate var firstResult: PaymentResult {
        switch self {
        case .success, .confirmation: .charged
        case .decline: .declined
        case .timeout: .pending
        }
    }
}
