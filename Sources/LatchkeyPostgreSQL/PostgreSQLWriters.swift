import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The threads that run transactions.
///
/// Each thread has its own connection.
final class PostgreSQLWriters: Sendable {
    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let outage: PostgreSQLOutage
    private let meter: PostgreSQLUsageMeter
    /// Whether the most recent transaction could be written.
    let health = WriteHealth()
    private let queue: WorkQueue<PendingTransaction>
    /// The threads that have been started.
    ///
    /// Empty until ``start()`` is called.
    private let threads = Locked<[WorkThread]>([])

    /// Creates the queue.
    ///
    /// Call ``start()`` to start the threads.
    init(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        outage: PostgreSQLOutage,
        meter: PostgreSQLUsageMeter
    ) {
        self.location = location
        self.options = options
        self.outage = outage
        self.meter = meter
        queue = WorkQueue(capacity: options.queue)
    }

    /// Starts the threads.
    ///
    /// Each thread connects when it receives its first transaction.
    ///
    /// Call this method once. Starting the threads doesn't contact the server.
    ///
    /// - Throws: ``DatabaseError`` with the code `unavailable` if a thread cannot be started. Any threads
    ///   that were already started are stopped.
    func start() throws(DatabaseError) {
        for _ in 0..<options.writers {
            do {
                let thread = try WorkThread { [location, options, outage, meter, health, queue] in
                    var connection = PostgreSQLWriterConnection(
                        location,
                        options: options,
                        outage: outage,
                        meter: meter,
                        health: health
                    )
                    while let write = queue.take(atMost: 1).first { connection.perform(write) }
                }
                threads.withLock { $0.append(thread) }
            } catch {
                close()
                throw DatabaseError(.unavailable, message: "Cannot create a thread for a writer.")
            }
        }
    }

    /// Submits a transaction.
    ///
    /// The caller is resumed exactly once.
    ///
    /// If the queue is full or closed, the caller is resumed immediately with an error.
    func submit(_ write: PendingTransaction) {
        queue.submit(write)
    }

    var waiting: Int { queue.count }

    /// Rejects new transactions.
    ///
    /// Transactions that are already queued still run.
    func close() {
        queue.close()
    }

    /// Waits until the last transaction has finished and the connections are closed.
    ///
    /// This method doesn't return until ``close()`` has been called.
    func ended() async {
        for thread in threads.withLock({ $0 }) { await thread.ended() }
    }
}

/// The state of a writer thread, including its connection, which is replaced when it breaks.
private struct PostgreSQLWriterConnection {
    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let outage: PostgreSQLOutage
    private let meter: PostgreSQLUsageMeter
    private let health: WriteHealth
    /// The open connection, or `nil` before the first transaction and after the connection has broken.
    private var connection: PostgreSQLConnection? {
        didSet {
            let isConnected = connection != nil
            if isConnected != (oldValue != nil) { meter.recordWriter(isConnected: isConnected) }
        }
    }

    init(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        outage: PostgreSQLOutage,
        meter: PostgreSQLUsageMeter,
        health: WriteHealth
    ) {
        self.location = location
        self.options = options
        self.outage = outage
        self.meter = meter
        self.health = health
    }

    /// Runs a transaction, retrying it until its outcome is known, the deadline has passed, or no attempts
    /// are left.
    mutating func perform(_ write: PendingTransaction) {
        let deadline = write.submitted + options.waitTimeout
        guard deadline > .now else {
            return write.refuse(
                DatabaseError(.overloaded, message: "The transaction timed out while it was queued.")
            )
        }
        var attempt = 1
        while true {
            let connection: PostgreSQLConnection
            do throws(DatabaseError) {
                connection = try connected(by: deadline)
            } catch {
                return refuse(write, with: error)
            }
            let session = PostgreSQLSession(connection, answerTimeout: options.answerTimeout)
            let performed = write.perform(Transaction(.postgreSQL, run: session.run))
            let outcome = session.end(committing: performed.keeps)
            if session.isBroken { self.connection = nil }
            switch outcome {
            case .settled:
                if let failure = session.failure {
                    health.record(failure.error)
                } else if performed.keeps, session.hasWritten {
                    health.recordSuccess()
                }
                return performed.settle()
            case .unknown:
                self.connection = nil
                return refuse(
                    write,
                    with: DatabaseError(
                        .unavailable,
                        message: "The connection was lost; the outcome of the transaction is unknown."
                    )
                )
            case .failed(let failure):
                if failure.effect == .connection { self.connection = nil }
                guard failure.effect != .statement, deadline > .now, attempt < options.attempts else {
                    return refuse(write, with: failure.error)
                }
                if failure.effect == .contention { Self.backOff(after: attempt) }
                attempt += 1
                meter.countRetry()
            }
        }
    }

    private func refuse(_ write: PendingTransaction, with error: DatabaseError) {
        health.record(error)
        write.refuse(error)
    }

    /// Returns the open connection or opens one.
    ///
    /// During an outage, this method first waits for the shared back-off.
    private mutating func connected(by deadline: ContinuousClock.Instant) throws(DatabaseError)
        -> PostgreSQLConnection
    {
        if let connection { return connection }
        while true {
            if let status = outage.status, status.nextAttempt > .now {
                if let error = status.error { throw error }
                Self.sleep(min(status.nextAttempt, deadline) - .now)
            }
            do throws(DatabaseError) {
                let opened = try PostgreSQLConnection.open(location, options: options, for: .writing)
                outage.recordSuccess()
                connection = opened
                return opened
            } catch {
                outage.recordFailure(error)
                guard error.code == .unavailable, deadline > .now else { throw error }
            }
        }
    }

    /// Sleeps for a random time, so that conflicting transactions don't collide again.
    private static func backOff(after attempt: Int) {
        let ceiling = min(20_000, 250 << min(attempt, 7))
        sleep(.microseconds(Int64.random(in: 0...Int64(ceiling))))
    }

    /// Blocks the thread for the given duration.
    ///
    /// A negative duration is treated as zero. The thread may wake up early if it receives a signal.
    private static func sleep(_ duration: Duration) {
        let (seconds, fraction) = max(.zero, duration).components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(fraction / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
