import LatchkeyModel
import LatchkeyServerCore

/// Whether the server can be reached, shared by all who connect: they back off together, and wait only so long.
final class PostgreSQLOutage: Sendable {
    private struct State: Sendable {
        var since: ContinuousClock.Instant?
        var next = ContinuousClock.Instant.now
        var delay = PostgreSQLOutage.shortest
        var error = PostgreSQLFailure.lost.error
    }

    private static let shortest: Duration = .milliseconds(20)
    private static let longest: Duration = .seconds(1)

    private let patience: Duration
    private let state = Locked(State())

    init(patience: Duration) {
        self.patience = patience
    }

    /// What is known about an outage.
    struct Verdict {
        /// When the next attempt may be made.
        let next: ContinuousClock.Instant

        /// What to tell those who wait; nothing while it is worth waiting.
        let refusal: DatabaseError?
    }

    /// Nothing when all is well.
    var verdict: Verdict? {
        state.withLock { state in
            state.since.map { since in
                Verdict(next: state.next, refusal: since + patience < .now ? state.error : nil)
            }
        }
    }

    /// An attempt failed.
    func begin(_ error: DatabaseError) {
        state.withLock { state in
            state.since = state.since ?? .now
            state.error = error
            // Of many nodes, not all come back in the same moment.
            let part = Double.random(in: 0.5...1)
            state.next = .now + state.delay * part
            state.delay = min(state.delay * 2, Self.longest)
        }
    }

    /// An attempt succeeded.
    func end() {
        state.withLock { $0 = State() }
    }
}
