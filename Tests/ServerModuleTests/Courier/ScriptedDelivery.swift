import LatchkeyCourier
import LatchkeyModel

/// A delivery that records each attempt and returns predefined results.
final class ScriptedDelivery: MessageDelivery {
    struct Attempt: Sendable {
        let message: Message
        let key: String
        let time: Timestamp
    }

    private struct State {
        var answers: [DeliveryError?] = []
        var attempts: [Attempt] = []
    }

    private let state: Locked<State>
    private let time: any TimeSource
    private let meanwhile: @Sendable () async -> Void

    /// Creates a delivery that throws the given errors one after another and then succeeds.
    init(
        _ answers: [DeliveryError?] = [],
        time: any TimeSource,
        meanwhile: @escaping @Sendable () async -> Void = {}
    ) {
        state = Locked(State(answers: answers))
        self.time = time
        self.meanwhile = meanwhile
    }

    var attempts: [Attempt] { state.withLock(\.attempts) }

    func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        let attempt = Attempt(message: message, key: idempotencyKey, time: time.now)
        let answer = state.withLock { state -> DeliveryError? in
            state.attempts.append(attempt)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        await meanwhile()
        if let answer { throw answer }
    }
}
