package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A purchase transaction as it is stored in the database.
package struct Purchase: Hashable, Sendable {
    package let id: Identifier
    package let identityID: Identifier
    /// The idempotency key that the client chose for the order.
    ///
    /// The key is unique within the account.
    let idempotencyKey: String
    /// A hash of the order.
    ///
    /// The hash is used to detect a different order with the same key.
    let fingerprint: [UInt8]
    let productID: String
    /// The kind of product at the time of the order.
    let kind: ProductKind
    let quantity: Int
    /// The unit price at the time of the order.
    let price: Money
    let region: Region
    let paymentMethodID: Identifier
    /// The token of the card, or `nil` if the card must not be charged anymore.
    let paymentToken: Secret?
    package var state: PurchaseState
    let createdAt: Timestamp
    var updatedAt: Timestamp
    /// When the purchase was charged, or `nil` if it hasn't been.
    var purchasedAt: Timestamp?
    var refundedAt: Timestamp?
    /// When the app reported that it had delivered the content.
    let finishedAt: Timestamp?
    /// When the purchase may be processed again, or `nil` if it has a final result.
    var dueAt: Timestamp?
    /// The version, which increases with each change.
    var version: Int64
    /// The time at which the account was reclaimed, or `nil` if it hasn't been.
    ///
    /// Reclaiming an account hides its earlier purchases from the new owner.
    var detachedAt: Timestamp?

    /// The total amount.
    ///
    /// The total can only be `nil` if another program changed the database row.
    var total: Money? { price.multiplied(by: quantity) }

    /// Returns whether the current user of an account can see the purchase.
    func isVisible(to identity: Identifier) -> Bool {
        identityID == identity && detachedAt == nil
    }

    /// Returns the purchase with an event applied to it.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - now: The current time.
    ///   - deadline: The deadline for confirming a deferred purchase, or the end of the lease for charging a
    ///     confirmed purchase.
    /// - Returns: The updated purchase, whose version number isn't changed, or `nil` if the event has no
    ///   effect.
    func after(_ event: PurchaseEvent, at now: Timestamp, deadline: Timestamp) -> Purchase? {
        guard let state = state.after(event) else { return nil }
        var changed = self
        changed.state = state
        // Clients ignore older states, so the time must not go back when the clock does.
        changed.updatedAt = max(now, updatedAt)
        switch state.state {
        case .purchased:
            changed.purchasedAt = now
            changed.dueAt = nil
        case .refunded:
            changed.refundedAt = now
            changed.dueAt = nil
        case .failed: changed.dueAt = nil
        case .purchasing, .deferred: changed.dueAt = deadline
        }
        return changed
    }

    /// The purchase as the API returns it.
    var body: TransactionBody {
        TransactionBody(
            id: id.description,
            productID: productID,
            quantity: quantity,
            price: MoneyBody(price),
            countryCode: region.code,
            state: OpenEnum(state.state),
            createdAt: createdAt.description,
            updatedAt: updatedAt.description,
            purchasedAt: purchasedAt?.description,
            finishedAt: finishedAt?.description,
            refundedAt: refundedAt?.description,
            failure: state.failure.map { OpenEnum($0) }
        )
    }
}

extension Purchase {
    /// Reads a purchase from the columns that ``PurchaseRepository`` selects.
    init(row: Row) throws(DatabaseError) {
        guard
            let kind = ProductKind(rawValue: try row.text(5)),
            let currency = Currency(try row.text(8)),
            let price = Money(try row.integer(7), currency),
            let region = Region(try row.text(9)),
            let state = TransactionState(rawValue: try row.text(13)),
            let quantity = Int(exactly: try row.integer(6))
        else {
            throw DatabaseError(.mismatch, message: "A purchase has a value that is unknown to this version.")
        }
        id = try row.identifier(0)
        identityID = try row.identifier(1)
        idempotencyKey = try row.text(2)
        fingerprint = try row.blob(3)
        productID = try row.text(4)
        self.kind = kind
        self.quantity = quantity
        self.price = price
        self.region = region
        paymentMethodID = try row.identifier(10)
        paymentToken = try row.optional(11, as: Row.text).map { Secret($0) }
        let failure = try row.optional(14, as: Row.text)
        self.state = PurchaseState(
            state,
            failure: failure.flatMap { TransactionFailure(rawValue: $0) },
            isConfirmed: try row.bool(12)
        )
        createdAt = try row.time(15)
        updatedAt = try row.time(16)
        purchasedAt = try row.optional(17, as: Row.time)
        refundedAt = try row.optional(18, as: Row.time)
        finishedAt = try row.optional(19, as: Row.time)
        dueAt = try row.optional(20, as: Row.time)
        version = try row.integer(21)
        detachedAt = try row.optional(22, as: Row.time)
    }
}
