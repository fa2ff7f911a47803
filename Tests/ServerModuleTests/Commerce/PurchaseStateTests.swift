import LatchkeyWire
import Testing

@testable import LatchkeyCommerce

@Suite struct `Purchase state` {
    private static let events: [PurchaseEvent] =
        PaymentResult.allCases.map { .result($0) }
        + [.approved, .denied, .confirmationExpired, .cancelled, .refunded]

    /// All transitions; every other pair of a state and an event has no effect.
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
    func `changes only as the table says`(state: TransactionState, event: PurchaseEvent) {
        let before = PurchaseState(state)
        let expected = Self.transitions.first { $0.0 == before && $0.1 == event }?.2
        #expect(before.after(event) == expected)
    }

    @Test func `is not deferred twice`() {
        let confirmed = PurchaseState(.purchasing, isConfirmed: true)
        #expect(confirmed.after(.result(.confirmationRequired)) == nil)
        #expect(confirmed.after(.result(.charged)) == PurchaseState(.purchased, isConfirmed: true))
    }

    @Test(
        arguments: [
            (.purchasing, false), (.deferred, false), (.purchased, true), (.failed, true), (.refunded, true),
        ] as [(TransactionState, Bool)]
    )
    func `can be finished once it has a final result`(state: TransactionState, isFinal: Bool) {
        #expect(PurchaseState(state).canBeFinished == isFinal)
    }
}
