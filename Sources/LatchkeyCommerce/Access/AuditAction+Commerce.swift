package import LatchkeyAccounts

extension AuditAction {
    /// A purchase was charged.
    ///
    /// The subject of the event is the transaction's id.
    package static let purchased = AuditAction(rawValue: "purchase")
    /// A purchase failed and was not charged.
    ///
    /// The subject of the event is the transaction's id.
    package static let purchaseFailed = AuditAction(rawValue: "purchase.failed")
    /// The operator refunded a purchase.
    ///
    /// The subject of the event is the transaction's id.
    package static let purchaseRefunded = AuditAction(rawValue: "purchase.refunded")
    /// The user restored the account's purchases.
    package static let purchasesRestored = AuditAction(rawValue: "purchases.restored")
    /// A payment method was added.
    ///
    /// The subject of the event is the id of the payment method.
    package static let paymentMethodAdded = AuditAction(rawValue: "payment_method.added")
    /// A payment method was removed.
    ///
    /// The subject of the event is the id of the payment method.
    package static let paymentMethodRemoved = AuditAction(rawValue: "payment_method.removed")
}
