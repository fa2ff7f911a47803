import LatchkeyModel
import LatchkeyServerKit

/// The state of an outage, which is shared by all threads that open connections, with its back-off and time
/// limit.
final class PostgreSQLOutage: Sendable {
    /// The state of the current outage, which is also used while the server is reachable.
    private struct State: Sendable {
        /// The time of the first failed attempt; `nil` if the last attempt succeeded.
        var since: ContinuousClock.Instant?
        /// The earliest time at which a thread may connect.
        var nextAttempt = ContinuousClock.Instant.now
        /// The back-off after the next failure, before jitter.
        var delay = PostgreSQLOutage.initialDelay
        /// The error from the last failed attempt.
        var error = PostgreSQLFailure.connectionLost.error
    }

    /// The back-off after the first failure, which doubles with each further failure.
    private static let initialDelay: Duration = .milliseconds(20)
    /// The maximum back-off.
    private static let maximumDelay: Duration = .seconds(1)

    private let waitTimeout: Duration
    private let state = Locked(State())

    /// Creates the initial state, in which the server is reachable.
    ///
    /// Queued work fails when an outage lasts longer than `waitTimeout`.
    init(waitTimeout: Duration) {
        self.waitTimeout = waitTimeout
    }

    /// A snapshot of the state of an outage.
    struct Status {
        /// The time of the next connection attempt.
        let nextAttempt: ContinuousClock.Instant

        /// The error with which waiting work fails; `nil` until the outage has lasted longer than the wait
        /// timeout.
        let error: DatabaseError?
    }

    /// The state of the current outage; `nil` if the last connection attempt succeeded.
    var status: Status? {
        state.withLock { state in
            state.since.map { since in
                Status(nextAttempt: state.nextAttempt, error: since + waitTimeout < .now ? state.error : nil)
            }
        }
    }

    /// Records a failed connection attempt and doubles the back-off, up to one second.
    ///
    /// The actual delay is between half of the back-off and the full back-off.
    func recordFailure(_ error: DatabaseError) {
        state.withLock { state in
            state.since = state.since ?? .now
            state.error = error
            // Jitter prevents many nodes from reconnecting at the same moment.
            let part = Double.random(in: 0.5...1)
            state.nextAttempt = .now + state.delay * part
            state.delay = min(state.delay * 2, Self.maximumDelay)
        }
    }

    /// Records a successful connection attempt.
    func recordSuccess() {
        state.withLock { $0 = State() }
    }
}
