package import LatchkeyAccounts

extension AuditAction {
    /// A purchase was charged; the subject is the id of the transaction.
    package static let purchased = AuditAction(rawValue: "purchase")
    /// A purchase failed without a charge; the subject is the id of the transaction.
    package static let purchaseFailed = AuditAction(rawValue: "purchase.failed")
    /// The operator returned the money of a purchase; the subject is the id of the transaction.
    package static let purchaseRefunded = AuditAction(rawValue: "purchase.refunded")
    /// The user restored the purchases of the account.
    package static let purchasesRestored = AuditAction(rawValue: "purchases.restored")
    /// A payment method was added; the subject is its id.
    package static let paymentMethodAdded = AuditAction(rawValue: "payment_method.added")
    /// A payment method was removed; the subject is its id.
    package static let paymentMethodRemoved = AuditAction(rawValue: "payment_method.removed")
}
