import LatchkeyWire
import Testing

@testable import LatchkeyCommerce

@Suite struct `Purchase states` {
    private static let events: [PurchaseEvent] =
        PaymentResult.allCases.map { .result($0) }
        + [.approved, .denied, .confirmationExpired, .cancelled, .refunded]

    /// The complete list of state transitions.
    ///
    /// Any other combination of a state and an event has no effect.
    private static let transitions: [(PurchaseState, PurchaseEvent, PurchaseState)] = [
        (PurchaseState(.purchasing), .result(.charged), PurchaseState(.purchased)),
        (PurchaseState(.purchasing), .result(.declined), PurchaseState(.failed, failure: .declined)),
        (PurchaseState(.purchasing), .result(.timedOut), PurchaseState(.failed, failure: .timedOut)),
        (PurchaseState(.purchasing), .result(.cancelled), PurchaseState(.failed, failure: .cancelled)),
        (PurchaseState(.purchasing), .result(.confirmationRequired), PurchaseState(.deferred)),
        (PurchaseState(.deferred), .approved, PurchaseState(.purchasing, isConfirmed: true)),
        (PurchaseState(.deferred), .denied, PurchaseState(.failed, failure: .confirmationDenied)),
        (PurchaseState(.deferred), .confirmationExpired, PurchaseState(.failed, failure: .timedOut)),
        (PurchaseState(.deferred), .cancelled, PurchaseState(.failed, failure: .cancelled)),
        (PurchaseState(.purchased), .refunded, PurchaseState(.refunded)),
    ]

    @Test(arguments: TransactionState.allCases, events)
    func `The state only changes as listed in the table`(state: TransactionState, event: PurchaseEvent) {
        let before = PurchaseState(state)
        let expected = Self.transitions.first { $0.0 == before && $0.1 == event }?.2
        #expect(before.after(event) == expected)
    }

    @Test func `A confirmed purchase can't be deferred again`() {
        let confirmed = PurchaseState(.purchasing, isConfirmed: true)
        #expect(confirmed.after(.result(.confirmationRequired)) == nil)
        #expect(confirmed.after(.result(.charged)) == PurchaseState(.purchased, isConfirmed: true))
    }

    @Test(
        arguments: [
            (.purchasing, false), (.deferred, false), (.purchased, true), (.failed, true), (.refunded, true),
        ] as [(TransactionState, Bool)]
    )
    func `A purchase can be finished once its result is final`(state: TransactionState, isFinal: Bool) {
        #expect(PurchaseState(state).canBeFinished == isFinal)
    }
}
