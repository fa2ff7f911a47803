package import LatchkeyWire

/// The state of a purchase.
///
/// All transitions are defined in ``after(_:)``.
package struct PurchaseState: Hashable, Sendable {
    /// The state as the API returns it.
    package let state: TransactionState
    /// The reason for the failure, or `nil` in all other states.
    package let failure: TransactionFailure?
    /// Whether the user has confirmed the payment.
    ///
    /// A confirmed payment isn't deferred again.
    package let isConfirmed: Bool

    init(_ state: TransactionState, failure: TransactionFailure? = nil, isConfirmed: Bool = false) {
        self.state = state
        self.failure = failure
        self.isConfirmed = isConfirmed
    }

    /// Returns the state after an event, or `nil` if the event doesn't change the state.
    ///
    /// A purchase that was charged never fails, and a purchase that failed is never charged. Events that
    /// arrive too late have no effect.
    func after(_ event: PurchaseEvent) -> PurchaseState? {
        switch (state, event) {
        case (.purchasing, .result(.charged)): PurchaseState(.purchased, isConfirmed: isConfirmed)
        case (.purchasing, .result(.declined)): failed(.declined)
        case (.purchasing, .result(.timedOut)): failed(.timedOut)
        case (.purchasing, .result(.cancelled)): failed(.cancelled)
        case (.purchasing, .result(.confirmationRequired)):
            isConfirmed ? nil : PurchaseState(.deferred)
        case (.deferred, .approved): PurchaseState(.purchasing, isConfirmed: true)
        case (.deferred, .denied): failed(.confirmationDenied)
        case (.deferred, .confirmationExpired): failed(.timedOut)
        case (.deferred, .cancelled): failed(.cancelled)
        case (.purchased, .refunded): PurchaseState(.refunded, isConfirmed: isConfirmed)
        case (.purchasing, _), (.deferred, _), (.purchased, _), (.failed, _), (.refunded, _): nil
        }
    }

    /// Whether the app is allowed to finish the transaction, because the outcome is known.
    var canBeFinished: Bool {
        switch state {
        case .purchased, .failed, .refunded: true
        case .purchasing, .deferred: false
        }
    }

    private func failed(_ failure: TransactionFailure) -> PurchaseState {
        PurchaseState(.failed, failure: failure, isConfirmed: isConfirmed)
    }
}
