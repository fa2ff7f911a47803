/// A change to the unfinished purchases, as reported to observers within this package.
package enum PurchaseUpdate: Sendable {
    /// An order was stored and is about to be sent. The update is reported again if the order is sent with
    /// another session.
    case began(PurchaseOrder)
    /// The server rejected an order, or the order was not sent.
    case refused(PurchaseOrder, PurchaseError)
    /// The server created a transaction for an order. Unless the app has already finished the transaction, a
    /// `changed` update with the transaction's state follows.
    case placed(PurchaseOrder, StoreTransaction)
    /// Unfinished transactions were added, or their states changed. The oldest transaction comes first.
    case changed([StoreTransaction])
    /// The app finished a transaction, on this device or on another one.
    case finished(StoreTransaction.ID)
    /// The login ended, so this device no longer has any unfinished purchases.
    case cleared
}
