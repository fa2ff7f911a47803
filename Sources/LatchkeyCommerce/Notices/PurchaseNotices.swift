import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Notifies account owners of new payment methods and sends them receipts.
struct PurchaseNotices: Sendable {
    let notices: AccountNotices
    let catalog: ProductCatalog

    /// Enqueues a notice about a new payment method.
    func send(
        _ method: PaymentMethod,
        addedTo identity: Identity,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        try notices.send(
            .cardAdded(lastFour: method.lastFour),
            to: identity,
            for: context,
            at: context.now,
            in: transaction
        )
    }

    /// Enqueues a receipt for a purchase that was charged.
    ///
    /// After a takeover of the account, no receipt is sent, because the purchase belongs to the previous user.
    ///
    /// - Parameters:
    ///   - purchase: The purchase.
    ///   - context: The request that triggered the charge, or `nil` if ``PurchaseRecovery`` triggered it.
    ///   - now: The current time.
    ///   - transaction: The database transaction that stores the result.
    /// - Throws: Any error thrown by ``AccountNotices/send(_:to:for:at:in:)``.
    func sendReceipt(
        for purchase: Purchase,
        context: RequestContext?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        guard
            purchase.detachedAt == nil, let total = purchase.total,
            let identity = try IdentityRepository.load(purchase.identityID, in: transaction)
        else { return }
        let ranges = context.flatMap { LanguageRanges(of: $0) }
        let title =
            catalog[purchase.productID]?.text(for: ranges, default: catalog.defaultLanguage).title
            ?? purchase.productID
        try notices.send(
            .receipt(
                item: purchase.quantity == 1 ? title : "\(purchase.quantity) × \(title)",
                amount: total.description,
                reference: purchase.id.description
            ),
            to: identity,
            for: context,
            at: now,
            in: transaction
        )
    }
}
