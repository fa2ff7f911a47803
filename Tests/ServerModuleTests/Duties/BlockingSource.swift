import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// A source whose duties the test switches on and off, for all clients or for one.
final class BlockingSource: DutySource {
    enum State: String, CaseIterable, Sendable {
        case none, open, blocking
    }

    private let current = Locked<(state: State, client: String?)>((.none, nil))

    /// The state of the duties, which is the same for all accounts.
    var state: State { current.withLock { $0.state } }

    func set(_ state: State, at client: String? = nil) {
        current.withLock { $0 = (state, client) }
    }

    func duties(for question: DutyQuestion) -> [AccountDuty] {
        let (state, client) = current.withLock { $0 }
        guard state != .none, client == nil || client == question.client?.id else { return [] }
        let isBlocking = state == .blocking
        return [
            // The first duty that blocks counts, and not the first duty.
            AccountDuty(Duty.Kind(rawValue: "another"), fields: ["traits.name"]),
            AccountDuty(.completeProfile, fields: ["traits.phone"], isBlocking: isBlocking),
            AccountDuty(Duty.Kind(rawValue: "later"), isBlocking: isBlocking),
        ]
    }
}
