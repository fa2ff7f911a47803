public import Latchkey
public import LatchkeyPurchases

/// An object that presents logins and payment methods.
///
/// OnsideKit keeps only a weak reference to the presenter. Use ``OnsideTerminalPresenter`` in a terminal.
@MainActor public protocol OnsidePresenter: Presenter {
    /// Presents the payment methods and returns when the user leaves the screens.
    ///
    /// This method is only called while a user is logged in. The calling task is cancelled when the user logs
    /// out.
    ///
    /// - Parameter purchases: Provides the functions to list, add and remove payment methods and to choose
    ///   the default one.
    func presentPaymentMethods(_ purchases: Purchases) async

    /// Asks the user to confirm a payment, as the card issuer's confirmation page would do.
    ///
    /// The default implementation returns `nil`.
    ///
    /// - Parameter transaction: The transaction, which stays deferred until the user approves or denies the
    ///   payment.
    /// - Returns: Whether the user approves the payment, or `nil` to decide later.
    func confirmPayment(_ transaction: StoreTransaction) async -> Bool?
}

extension OnsidePresenter {
    /// Returns `nil`, so the transaction stays deferred.
    public func confirmPayment(_ transaction: StoreTransaction) async -> Bool? { nil }
}
