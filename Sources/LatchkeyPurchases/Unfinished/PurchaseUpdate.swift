/// A change to the unfinished purchases, as reported to observers within this package.
package enum PurchaseUpdate: Sendable {
    /// An order was stored and is about to be sent. The update is reported again if the order is sent with
    /// another session.
    case began(PurchaseOrder)
    /// The server rejected an order, or the order was not sent.
    case refused(PurchaseOrder, PurchaseError)
    /// An order resulted in a transaction. Unless the app has already finished the transaction, a `changed`
    /// update with the transaction's state follows.
    case placed(PurchaseOrder, StoreTransaction)
    /// Unfinished transactions were added or changed their state. The transactions are listed oldest first.
    case changed([StoreTransaction])
    /// The app finished a transaction.
    case finished(StoreTransaction.ID)
    /// The login ended, so this device no longer has any unfinished purchases.
    case cleared
}
