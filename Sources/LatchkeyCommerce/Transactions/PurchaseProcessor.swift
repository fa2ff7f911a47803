import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Charges purchases and stores the results.
///
/// A purchase can be processed any number of times, on any node and after a crash. The payment provider
/// charges each transaction only once, and a single conditional statement stores the result. If the same
/// purchase is processed concurrently within one process, the calls share the work.
final class PurchaseProcessor: Sendable {
    /// How long a purchase is reserved for the request or node that has started to process it.
    ///
    /// The reservation avoids unnecessary requests to the payment provider, but isn't required for
    /// correctness.
    static let lease: Duration = .seconds(10)
    /// How far the clocks of two nodes may differ.
    private static let skew: Duration = .seconds(60)

    /// Returns the latest end of a lease that another node can hold now.
    ///
    /// A stored end that is later was written by a clock that has been set back since.
    static func latestLease(at now: Timestamp) -> Timestamp { now + lease + skew }

    /// The maximum number of attempts if the purchase is changed concurrently.
    private static let attempts = 8

    private let provider: any PaymentProvider
    private let settings: CommerceSettings
    private let audit: AuditLog
    private let notices: PurchaseNotices
    private let database: any Database
    private let time: any TimeSource
    /// The tasks in progress.
    ///
    /// The keys are the ids of the purchases.
    private let running = Locked<[Identifier: Task<Purchase, any Error>]>([:])

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - provider: The payment provider.
    ///   - settings: The payment timeouts.
    ///   - audit: Creates the audit events for purchases.
    ///   - notices: Sends receipts.
    ///   - database: The database that contains the purchases.
    ///   - time: The clock.
    init(
        provider: any PaymentProvider,
        settings: CommerceSettings,
        audit: AuditLog,
        notices: PurchaseNotices,
        database: any Database,
        time: any TimeSource
    ) {
        self.provider = provider
        self.settings = settings
        self.audit = audit
        self.notices = notices
        self.database = database
        self.time = time
    }

    /// Charges the user for a purchase that has no result yet, and returns the updated purchase.
    ///
    /// If the purchase must be confirmed first or has a final result, it is returned unchanged.
    ///
    /// - Parameters:
    ///   - id: The purchase's id.
    ///   - context: The request that triggered the charge, or `nil` if ``PurchaseRecovery`` triggered it.
    /// - Returns: The purchase, whose state is still `purchasing` if the payment provider doesn't have a
    ///   result yet.
    /// - Throws: Any error thrown by the payment provider, or ``DatabaseError``.
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
            // If another caller started the task, it may have read the purchase before it was confirmed.
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
            guard let changed = change(purchase, by: event) else { return purchase }
            if let saved = try await save(changed, for: context) { return saved }
        }
        throw Self.contended
    }

    private static let contended = DatabaseError(
        .overloaded,
        message: "Concurrent requests keep updating the same purchase."
    )

    /// Asks the payment provider for the result of a purchase.
    ///
    /// The payment is cancelled if its card token was deleted, or if it has been pending for too long.
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

    /// Applies an event to a purchase.
    ///
    /// Returns `nil` if the event has no effect.
    private func change(_ purchase: Purchase, by event: PurchaseEvent) -> Purchase? {
        let now = time.now
        let isDeferred = purchase.state.after(event)?.state == .deferred
        let deadline = now + (isDeferred ? settings.confirmationTimeout : Self.lease)
        return purchase.after(event, at: now, deadline: deadline)
    }

    /// Stores a changed purchase and its audit event, and enqueues a receipt if the purchase was charged.
    ///
    /// - Returns: The purchase with its new version number, or `nil` if the purchase has been changed since
    ///   it was read.
    private func save(_ purchase: Purchase, for context: RequestContext?) async throws -> Purchase? {
        let event = auditEvent(for: purchase, in: context)
        let now = time.now
        return try await database.transaction { [notices] transaction in
            guard try PurchaseRepository.save(purchase, in: transaction) else { return nil }
            if let event { try AuditLog.append(event, in: transaction) }
            if purchase.state.state == .purchased {
                try notices.sendReceipt(for: purchase, context: context, at: now, in: transaction)
            }
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

    /// Confirms or denies a deferred purchase in the database transaction that holds the account's lock.
    ///
    /// - Returns: The purchase in its current state, or `nil` if the account doesn't have such a purchase. If
    ///   the purchase wasn't deferred, it is returned unchanged.
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
            let answered = change(purchase, by: approves ? .approved : .denied),
            try PurchaseRepository.save(answered, in: transaction)
        else { return try PurchaseRepository.find(id, in: transaction) }
        if !approves { try AuditLog.append(event, in: transaction) }
        try transaction.publish(.transactions(of: identity))
        return try PurchaseRepository.find(id, in: transaction)
    }

    /// Refunds a purchase.
    ///
    /// - Returns: The refunded purchase, or `nil` if it doesn't exist. A purchase that was refunded earlier
    ///   is returned unchanged.
    /// - Throws: A ``ServerError`` with status 409 if the purchase wasn't charged, any error thrown by the
    ///   payment provider, or ``DatabaseError``.
    func refund(_ id: Identifier, for context: RequestContext) async throws -> Purchase? {
        for _ in 0..<Self.attempts {
            guard let purchase = try await PurchaseRepository.find(id, in: database) else { return nil }
            if purchase.state.state == .refunded { return purchase }
            guard let refunded = change(purchase, by: .refunded) else {
                throw ServerError(
                    409,
                    id: .transactionNotPurchased,
                    reason:
                        "Only a purchased transaction can be refunded; this one is \(purchase.state.state.rawValue)."
                )
            }
            // Call the provider before recording the refund. If the server crashes, the operator can repeat
            // the request, and the money is refunded only once.
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

    /// Completes a purchase that is due, unless another node is already processing it.
    ///
    /// A purchase that doesn't have a result yet is processed again. If the user didn't confirm a deferred
    /// purchase in time, the purchase fails.
    ///
    /// - Throws: Any error thrown by the payment provider, or ``DatabaseError``.
    func resume(_ purchase: Purchase) async throws {
        let now = time.now
        if purchase.state.state == .deferred {
            if let expired = change(purchase, by: .confirmationExpired) {
                _ = try await save(expired, for: nil)
            }
            return
        }
        let isTaken = try await database.transaction { transaction in
            try PurchaseRepository.take(purchase, until: now + Self.lease, at: now, in: transaction)
        }
        if isTaken { _ = try await process(purchase.id, for: nil) }
    }
}
