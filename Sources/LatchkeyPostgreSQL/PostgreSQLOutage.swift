import LatchkeyModel
import LatchkeyServerCore

/// The state of an outage, shared by all threads that connect, so that they share back-off and time limit.
final class PostgreSQLOutage: Sendable {
    private struct State: Sendable {
        var since: ContinuousClock.Instant?
        var next = ContinuousClock.Instant.now
        var delay = PostgreSQLOutage.shortest
        var error = PostgreSQLFailure.lost.error
    }

    /// The back-off after the first failure; doubled with each further one.
    private static let shortest: Duration = .milliseconds(20)
    /// The maximum back-off.
    private static let longest: Duration = .seconds(1)

    private let patience: Duration
    private let state = Locked(State())

    /// Creates the state of a reachable server; `patience` is how long waiting work survives an outage.
    init(patience: Duration) {
        self.patience = patience
    }

    /// The state of an outage at one moment.
    struct Verdict {
        /// The time of the next connection attempt.
        let next: ContinuousClock.Instant

        /// The error for waiting work; `nil` while the outage is shorter than the configured patience.
        let refusal: DatabaseError?
    }

    /// The state of the current outage; `nil` if the last connection attempt succeeded.
    var verdict: Verdict? {
        state.withLock { state in
            state.since.map { since in
                Verdict(next: state.next, refusal: since + patience < .now ? state.error : nil)
            }
        }
    }

    /// Records a failed connection attempt and doubles the back-off, up to one second.
    func begin(_ error: DatabaseError) {
        state.withLock { state in
            state.since = state.since ?? .now
            state.error = error
            // Jitter, so that many nodes do not reconnect at the same moment.
            let part = Double.random(in: 0.5...1)
            state.next = .now + state.delay * part
            state.delay = min(state.delay * 2, Self.longest)
        }
    }

    /// Records a successful connection attempt.
    func end() {
        state.withLock { $0 = State() }
    }
}
