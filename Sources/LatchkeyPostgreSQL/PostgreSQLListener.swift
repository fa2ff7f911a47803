import LatchkeyModel
import LatchkeyServerKit

/// Receives changes from all nodes on a dedicated connection (`LISTEN`), and reconnects if the connection
/// breaks.
///
/// PostgreSQL doesn't store notifications for disconnected clients. Therefore, whenever the listener has
/// connected, it tells all subscribers that they may have missed changes and must reload their state.
final class PostgreSQLListener: Sendable {
    /// How long the listener waits without receiving a notification before it checks that the connection
    /// still works.
    private static let probeInterval: Duration = .seconds(30)
    /// How long to wait after the first failed connection attempt.
    ///
    /// The delay doubles after every subsequent failure.
    private static let initialDelay: Duration = .milliseconds(50)
    private static let longestDelay: Duration = .seconds(5)

    private struct State {
        var thread: WorkThread?
        var isClosed = false
    }

    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let meter: PostgreSQLUsageMeter
    private let wake: WakePipe
    private let state = Locked(State())

    /// Creates a listener.
    ///
    /// The listener doesn't connect until ``start(into:)`` is called.
    ///
    /// - Throws: ``DatabaseError`` with the code `unavailable` if no pipe can be created.
    init(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        meter: PostgreSQLUsageMeter
    ) throws(DatabaseError) {
        (self.location, self.options, self.meter) = (location, options, meter)
        wake = try WakePipe()
    }

    /// Starts a thread that connects to the server and forwards changes to a broadcast.
    ///
    /// Calling this method again has no effect.
    func start(into broadcast: Broadcast) {
        state.withLock { state in
            guard state.thread == nil, !state.isClosed else { return }
            // If the thread cannot be started, subscribers still notice changes through their own periodic
            // reads.
            state.thread = try? WorkThread { [self] in run(broadcast) }
        }
    }

    /// Stops the thread, which then closes its connection.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }

    /// Waits until the thread has ended.
    ///
    /// Call ``close()`` first.
    func ended() async {
        await state.withLock { $0.thread }?.ended()
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run(_ broadcast: Broadcast) {
        var delay = Self.initialDelay
        while !isClosed {
            do {
                let connection = try PostgreSQLConnection.open(location, options: options, for: .writing)
                _ = try connection.run("LISTEN latchkey_changes", by: .now + options.answerTimeout)
                delay = Self.initialDelay
                meter.recordListener(isConnected: true)
                defer { meter.recordListener(isConnected: false) }
                broadcast.announceGap()
                try receive(on: connection, into: broadcast)
            } catch {
                // We don't report the error here, because the database's other connections report outages.
            }
            guard !isClosed else { return }
            // Jitter prevents many nodes from reconnecting at the same moment.
            wake.wait(until: .now + delay * Double.random(in: 0.5...1))
            delay = min(delay * 2, Self.longestDelay)
        }
    }

    /// Forwards notifications until the listener is closed.
    ///
    /// - Throws: ``PostgreSQLFailure`` if the connection is lost.
    private func receive(
        on connection: PostgreSQLConnection,
        into broadcast: Broadcast
    ) throws(PostgreSQLFailure) {
        var nextProbe = ContinuousClock.now + Self.probeInterval
        while !isClosed {
            for payload in connection.takeNotifications() {
                if let topic = BroadcastTopic(payload) { broadcast.publish(topic) }
            }
            if wake.wait(until: nextProbe, or: connection.socket), !connection.receiveInput() {
                throw .connectionLost
            }
            if nextProbe <= .now {
                // A connection can be lost without either side being notified, for example when a firewall
                // drops it.
                _ = try connection.run("SELECT 1", by: .now + options.answerTimeout)
                nextProbe = .now + Self.probeInterval
            }
        }
    }
}
