import LatchkeyModel
import LatchkeyServerKit

/// Keeps track of database outages.
///
/// All threads that open connections share one instance, so that they also share the back-off.
final class PostgreSQLOutage: Sendable {
    private struct State: Sendable {
        /// When the first connection attempt failed, or `nil` if the last attempt succeeded.
        var since: ContinuousClock.Instant?
        /// The earliest time at which a thread may try to connect.
        var nextAttempt = ContinuousClock.Instant.now
        /// How long to wait after the next failure, before jitter is applied.
        var delay = PostgreSQLOutage.initialDelay
        var error = PostgreSQLFailure.connectionLost.error
    }

    /// How long to wait after the first failure.
    ///
    /// The delay doubles after every subsequent failure.
    private static let initialDelay: Duration = .milliseconds(20)
    /// The maximum time to wait between connection attempts.
    private static let maximumDelay: Duration = .seconds(1)

    private let waitTimeout: Duration
    private let state = Locked(State())

    /// Creates a tracker that initially considers the server reachable.
    ///
    /// Queued work fails when an outage lasts longer than `waitTimeout`.
    init(waitTimeout: Duration) {
        self.waitTimeout = waitTimeout
    }

    /// A snapshot of an ongoing outage.
    struct Status {
        /// The time of the next connection attempt.
        let nextAttempt: ContinuousClock.Instant

        /// The error that queued work fails with, or `nil` if the outage hasn't lasted longer than the wait
        /// timeout yet.
        let error: DatabaseError?
    }

    /// The current outage, or `nil` if the last connection attempt succeeded.
    var status: Status? {
        state.withLock { state in
            state.since.map { since in
                Status(nextAttempt: state.nextAttempt, error: since + waitTimeout < .now ? state.error : nil)
            }
        }
    }

    /// Records a failed connection attempt and doubles the back-off, up to one second.
    ///
    /// The actual delay is chosen at random between half the back-off and the full back-off.
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

    func recordSuccess() {
        state.withLock { $0 = State() }
    }
}
