/// A change of the unfinished purchases, as the package's own observers receive it.
package enum PurchaseUpdate: Sendable {
    /// An order was stored, and is about to be sent; called again if it is sent with another session.
    case began(PurchaseOrder)
    /// The server rejected an order, or it was not sent.
    case refused(PurchaseOrder, PurchaseError)
    /// An order has become a transaction; a change of its state follows, unless the app has finished it.
    case placed(PurchaseOrder, StoreTransaction)
    /// Transactions that the app has not finished appeared or changed their state, oldest first.
    case changed([StoreTransaction])
    /// The app finished a transaction.
    case finished(StoreTransaction.ID)
    /// The login ended, so that this device no longer has unfinished purchases.
    case cleared
}
