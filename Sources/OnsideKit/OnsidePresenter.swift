public import Latchkey
public import LatchkeyPurchases

/// The part of an app that presents logins and payment methods; OnsideKit holds it weakly.
///
/// ``OnsideTerminalPresenter`` is the presenter for terminals.
@MainActor public protocol OnsidePresenter: Presenter {
    /// Presents the payment methods, and returns when the user has left the screens.
    ///
    /// A user is logged in. The calling task is cancelled when the user signs out.
    ///
    /// - Parameter purchases: The functions that list, add, choose and remove payment methods.
    func presentPaymentMethods(_ purchases: Purchases) async

    /// Asks the user to confirm a payment, in place of the page of a card's issuer.
    ///
    /// The default implementation returns `nil`.
    ///
    /// - Parameter transaction: The transaction, which is deferred until it is confirmed or denied.
    /// - Returns: Whether the user approves the payment; `nil` to decide later.
    func confirmPayment(_ transaction: StoreTransaction) async -> Bool?
}

extension OnsidePresenter {
    /// Returns `nil`, so that the transaction stays deferred.
    public func confirmPayment(_ transaction: StoreTransaction) async -> Bool? { nil }
}
