import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Charges purchases and stores the results.
///
/// A purchase can be processed any number of times, by any node and after a crash, because the payment provider
/// charges each transaction once and the result is stored by one conditional statement. Concurrent calls for the same
/// purchase in one process share the work.
package final class PurchaseProcessor: Sendable {
    /// The time for which a purchase is left to the request or the node that has begun to process it.
    ///
    /// The lease avoids needless requests to the payment provider; it is not necessary for correctness.
    static let lease: Duration = .seconds(10)

    /// The maximum number of attempts if other calls change the purchase at the same time.
    private static let attempts = 8

    private let provider: any PaymentProvider
    private let settings: CommerceSettings
    private let audit: AuditLog
    private let database: any Database
    private let time: any TimeSource
    /// The work in progress, keyed by the id of the purchase.
    private let running = Locked<[Identifier: Task<Purchase, any Error>]>([:])

    /// Creates the processor.
    ///
    /// - Parameters:
    ///   - provider: The provider that moves the money.
    ///   - settings: The timeouts.
    ///   - audit: The audit log, which creates the events of purchases.
    ///   - database: The database with the purchases.
    ///   - time: The clock.
    init(
        provider: any PaymentProvider,
        settings: CommerceSettings,
        audit: AuditLog,
        database: any Database,
        time: any TimeSource
    ) {
        self.provider = provider
        self.settings = settings
        self.audit = audit
        self.database = database
        self.time = time
    }

    /// Charges a purchase that has no result yet, and returns it in its new state.
    ///
    /// A purchase that waits for a confirmation or has a final result is returned unchanged.
    ///
    /// - Parameters:
    ///   - id: The id of the purchase.
    ///   - context: The request that caused the charge; `nil` for the recovery.
    /// - Returns: The purchase, which is still `purchasing` if the payment provider has no result.
    /// - Throws: The errors of the payment provider; ``DatabaseError``.
    func process(_ id: Identifier, for context: RequestContext?) async throws -> Purchase {
        for _ in 0..<Self.attempts {
            let (task, isShared) = running.withLock { tasks in
                if let task = tasks[id] { return (task, true) }
                let task = Task { [self] in
                    defer { running.withLock { $0[id] = nil } }
                    return try await charge(id, for: context)
                }
                tasks[id] = task
                return (task, false)
            }
            let purchase = try await task.value
            // Shared work may have begun before the confirmation of the purchase.
            guard
                isShared, let latest = try await PurchaseRepository.find(id, in: database),
                latest.state.state == .purchasing, latest.version != purchase.version
            else { return purchase }
        }
        throw Self.contended
    }

    private func charge(_ id: Identifier, for context: RequestContext?) async throws -> Purchase {
        for _ in 0..<Self.attempts {
            guard let purchase = try await PurchaseRepository.find(id, in: database) else {
                throw ServerError.notFound
            }
            guard purchase.state.state == .purchasing else { return purchase }
            let result = try await result(of: purchase)
            let event = PurchaseEvent.result(result)
            guard let changed = after(event, purchase) else { return purchase }
            if let saved = try await save(changed, for: context) { return saved }
        }
        throw Self.contended
    }

    private static let contended = DatabaseError(
        .unavailable,
        message: "Concurrent requests keep updating the same purchase."
    )

    /// Asks the payment provider for the result.
    ///
    /// A purchase whose token was deleted, or that had no result for too long, is cancelled.
    private func result(of purchase: Purchase) async throws -> PaymentResult {
        let now = time.now
        guard let token = purchase.paymentToken, let amount = purchase.total else {
            return try await provider.cancel(purchase.id, at: now)
        }
        let charge = PaymentCharge(
            transaction: purchase.id,
            token: token,
            amount: amount,
            isConfirmed: purchase.state.isConfirmed
        )
        let result = try await provider.charge(charge, at: now)
        guard result == .pending, now >= purchase.createdAt + settings.paymentTimeout else { return result }
        let last = try await provider.cancel(purchase.id, at: now)
        return last == .cancelled ? .timedOut : last
    }

    /// Applies an event to a purchase; `nil` if it has no effect.
    private func after(_ event: PurchaseEvent, _ purchase: Purchase) -> Purchase? {
        let now = time.now
        let isDeferred = purchase.state.after(event)?.state == .deferred
        let deadline = now + (isDeferred ? settings.confirmationTimeout : Self.lease)
        return purchase.after(event, at: now, deadline: deadline)
    }

    /// Stores a changed purchase with its audit event.
    ///
    /// - Returns: The purchase with its new version; `nil` if it has changed since it was read.
    private func save(_ purchase: Purchase, for context: RequestContext?) async throws -> Purchase? {
        let event = auditEvent(for: purchase, in: context)
        return try await database.transaction { transaction in
            guard try PurchaseRepository.save(purchase, in: transaction) else { return nil }
            if let event { try AuditLog.append(event, in: transaction) }
            try transaction.publish(.transactions(of: purchase.identityID))
            var saved = purchase
            saved.version += 1
            return saved
        }
    }

    private func auditEvent(for purchase: Purchase, in context: RequestContext?) -> AuditEvent? {
        let action: AuditAction
        switch purchase.state.state {
        case .purchased: action = .purchased
        case .failed: action = .purchaseFailed
        case .purchasing, .deferred, .refunded: return nil
        }
        let subject = purchase.id.description
        guard let context else {
            return audit.event(action, of: purchase.identityID, by: .server, about: subject, at: time.now)
        }
        return audit.event(action, of: purchase.identityID, in: context, about: subject, at: time.now)
    }

    // MARK: Confirmation and refund

    /// Applies the user's answer to a deferred purchase, in the transaction that has locked the account.
    ///
    /// - Returns: The purchase in its present state, which has not changed if it was not deferred; `nil` if the
    ///   account has no such purchase.
    func answer(
        _ approves: Bool,
        to id: Identifier,
        of identity: Identifier,
        event: AuditEvent,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Purchase? {
        guard
            let purchase = try PurchaseRepository.find(id, in: transaction), purchase.isVisible(to: identity)
        else {
            return nil
        }
        guard
            let answered = after(approves ? .approved : .denied, purchase),
            try PurchaseRepository.save(answered, in: transaction)
        else { return try PurchaseRepository.find(id, in: transaction) }
        if !approves { try AuditLog.append(event, in: transaction) }
        try transaction.publish(.transactions(of: identity))
        return try PurchaseRepository.find(id, in: transaction)
    }

    /// Returns the money of a purchase.
    ///
    /// - Returns: The refunded purchase, also if it was refunded before; `nil` if there is no such purchase.
    /// - Throws: ``ServerError`` with status 409 if the purchase was not charged; the errors of the payment provider;
    ///   ``DatabaseError``.
    func refund(_ id: Identifier, for context: RequestContext) async throws -> Purchase? {
        for _ in 0..<Self.attempts {
            guard let purchase = try await PurchaseRepository.find(id, in: database) else { return nil }
            if purchase.state.state == .refunded { return purchase }
            guard let refunded = after(.refunded, purchase) else {
                throw ServerError(
                    409,
                    id: .transactionNotPurchased,
                    reason:
                        "Only a purchased transaction can be refunded; this one is \(purchase.state.state.rawValue)."
                )
            }
            // The provider comes first: after a crash, the operator repeats the request, and the money is returned once.
            try await provider.refund(id, at: time.now)
            let event = audit.event(
                .purchaseRefunded,
                of: purchase.identityID,
                by: .operator,
                in: context,
                about: id.description,
                at: context.now
            )
            let isSaved = try await database.transaction { transaction in
                guard try PurchaseRepository.save(refunded, in: transaction) else { return false }
                try AuditLog.append(event, in: transaction)
                try transaction.publish(.transactions(of: purchase.identityID))
                return true
            }
            if isSaved { return refunded }
        }
        throw Self.contended
    }

    // MARK: Recovery

    /// Takes a purchase that is due, unless another node has taken it, and completes it.
    ///
    /// A purchase that is being charged is charged again, and a deferred one fails.
    ///
    /// - Throws: The errors of the payment provider; ``DatabaseError``.
    func resume(_ purchase: Purchase) async throws {
        let now = time.now
        if purchase.state.state == .deferred {
            if let expired = after(.confirmationExpired, purchase) { _ = try await save(expired, for: nil) }
            return
        }
        let isTaken = try await database.transaction { transaction in
            try PurchaseRepository.take(purchase, until: now + Self.lease, at: now, in: transaction)
        }
        if isTaken { _ = try await process(purchase.id, for: nil) }
    }
}
