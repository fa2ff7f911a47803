package import LatchkeyWire

/// The state of a purchase, whose transitions are a pure function.
package struct PurchaseState: Hashable, Sendable {
    /// The state as the API returns it.
    package let state: TransactionState
    /// The reason of a failure; `nil` in all other states.
    package let failure: TransactionFailure?
    /// Whether the user has confirmed the payment, which is then not deferred again.
    package let isConfirmed: Bool

    /// Creates a state.
    init(_ state: TransactionState, failure: TransactionFailure? = nil, isConfirmed: Bool = false) {
        self.state = state
        self.failure = failure
        self.isConfirmed = isConfirmed
    }

    /// Returns the state after an event; `nil` if the event does not change the state.
    ///
    /// A purchase that was charged never fails, and a failed purchase is never charged: events that arrive late have
    /// no effect.
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

    /// Whether the app can report that it has delivered the content, or has shown that there is none.
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
