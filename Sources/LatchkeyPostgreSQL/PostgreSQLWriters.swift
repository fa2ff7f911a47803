import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The threads for transactions, each with its own connection.
final class PostgreSQLWriters: Sendable {
    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let outage: PostgreSQLOutage
    private let meter: PostgreSQLUsageMeter
    /// The queue of waiting transactions, which all threads share.
    private let queue: WorkQueue<PendingTransaction>
    /// The started threads; empty before ``start()``.
    private let threads = Locked<[WorkThread]>([])

    /// Creates the queue, whose threads are started by ``start()``.
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

    /// Starts the threads, each of which connects when it gets its first transaction.
    ///
    /// This method must be called once, and does not contact the server.
    ///
    /// - Throws: ``DatabaseError`` with the code `unavailable` if a thread cannot be started, in which case
    ///   the threads that were already started end.
    func start() throws(DatabaseError) {
        for _ in 0..<options.writers {
            do {
                let thread = try WorkThread { [location, options, outage, meter, queue] in
                    var connection = PostgreSQLWriterConnection(
                        location,
                        options: options,
                        outage: outage,
                        meter: meter
                    )
                    while let write = queue.take(atMost: 1).first { connection.perform(write) }
                }
                threads.withLock { $0.append(thread) }
            } catch {
                close()
                throw DatabaseError(.unavailable, message: "The system cannot create a thread for a writer.")
            }
        }
    }

    /// Submits a transaction, whose caller is resumed exactly once.
    ///
    /// If the queue is full or closed, the caller is resumed with an error at once.
    func submit(_ write: PendingTransaction) {
        queue.submit(write)
    }

    /// The number of transactions that wait for a thread.
    var waiting: Int { queue.count }

    /// Rejects new transactions, but completes those that are queued.
    func close() {
        queue.close()
    }

    /// Waits until the last transaction is completed and the connections are closed.
    ///
    /// This method does not return before ``close()`` is called.
    func ended() async {
        for thread in threads.withLock({ $0 }) { await thread.ended() }
    }
}

/// The state of one writing thread, with its connection, which is replaced when it breaks.
private struct PostgreSQLWriterConnection {
    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let outage: PostgreSQLOutage
    private let meter: PostgreSQLUsageMeter
    /// The open connection; `nil` before the first transaction and after the connection broke.
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
        meter: PostgreSQLUsageMeter
    ) {
        self.location = location
        self.options = options
        self.outage = outage
        self.meter = meter
    }

    /// Runs a transaction, and retries it until its outcome is known or no time or attempts are left.
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
                return write.refuse(error)
            }
            let session = PostgreSQLSession(connection, answerTimeout: options.answerTimeout)
            let performed = write.perform(Transaction(.postgreSQL, run: session.run))
            let outcome = session.end(committing: performed.keeps)
            if session.isBroken { self.connection = nil }
            switch outcome {
            case .settled:
                return performed.settle()
            case .unknown:
                self.connection = nil
                return write.refuse(
                    DatabaseError(
                        .unavailable,
                        message: "The connection was lost; the outcome of the transaction is unknown."
                    )
                )
            case .failed(let failure):
                if failure.effect == .connection { self.connection = nil }
                guard failure.effect != .statement, deadline > .now, attempt < options.attempts else {
                    return write.refuse(failure.error)
                }
                if failure.effect == .contention { Self.backOff(after: attempt) }
                attempt += 1
                meter.countRetry()
            }
        }
    }

    /// Returns the open connection, or opens one after waiting for the shared back-off during an outage.
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

    /// Sleeps for a random time to keep conflicting transactions from colliding again.
    private static func backOff(after attempt: Int) {
        let ceiling = min(20_000, 250 << min(attempt, 7))
        sleep(.microseconds(Int64.random(in: 0...Int64(ceiling))))
    }

    /// Blocks the thread for a duration.
    ///
    /// A negative duration is treated as zero, and a signal may end the pause early.
    private static func sleep(_ duration: Duration) {
        let (seconds, fraction) = max(.zero, duration).components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(fraction / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
