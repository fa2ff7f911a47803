import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The event loop of the reading thread, which distributes reads across connections and passes the answers to
/// the callers.
///
/// All methods must be called on the reading thread. The thread ends when ``run()`` returns.
final class PostgreSQLReadLoop {
    /// How many reads must be pending on every connection before another connection is opened.
    private static let growthThreshold = 4

    /// The number of lost connections after which a pending read fails.
    private static let lossLimit = 3

    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let outage: PostgreSQLOutage
    private let inbox: PostgreSQLReadInbox
    private let meter: PostgreSQLUsageMeter
    private var connections: [PostgreSQLPipelinedConnection] = [] {
        didSet { if connections.count != oldValue.count { meter.record(readers: connections.count) } }
    }
    /// The reads that are waiting for a connection, oldest first.
    private var waiting: [PostgreSQLRead] = []
    private var isConnecting = false
    /// Whether the inbox has been closed.
    ///
    /// The loop ends once all remaining reads have been answered.
    private var isClosed = false
    /// The number of reads that were answered since the inbox was last emptied.
    private var answered = 0

    init(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        outage: PostgreSQLOutage,
        inbox: PostgreSQLReadInbox,
        meter: PostgreSQLUsageMeter
    ) {
        self.location = location
        self.options = options
        self.outage = outage
        self.inbox = inbox
        self.meter = meter
    }

    /// Runs until the inbox is closed and all reads have been answered.
    func run() {
        while true {
            takeInput()
            send()
            expire()
            if isClosed, waiting.isEmpty, !isConnecting, connections.allSatisfy(\.isIdle) { return }
            connect()
            wait()
        }
    }

    private func takeInput() {
        let input = inbox.takeContents(answered: answered)
        answered = 0
        isClosed = input.isClosed
        waiting += input.reads
        for opened in input.openedConnections {
            isConnecting = false
            switch opened.result {
            case .success(let connection):
                outage.recordSuccess()
                connections.append(PostgreSQLPipelinedConnection(connection))
            case .failure(let error):
                outage.recordFailure(error)
                // If the address or password is wrong, waiting won't help.
                if connections.isEmpty, error.code != .unavailable { failWaitingReads(with: error) }
            }
        }
    }

    /// Sends waiting reads for as long as a connection has room.
    ///
    /// Each read goes to the connection with the fewest pending reads.
    private func send() {
        while let read = waiting.first {
            guard
                let connection = connections.min(by: { $0.count < $1.count }),
                connection.count < options.depth
            else { break }
            waiting.removeFirst()
            do throws(PostgreSQLFailure) {
                try connection.send(read)
            } catch {
                if error.effect == .connection {
                    drop(connection, after: error, unsent: [read])
                } else {
                    finish(read, with: .failure(error.error))
                }
            }
        }
    }

    /// Fails reads whose deadline has passed and drops connections that didn't answer in time.
    private func expire() {
        let now = ContinuousClock.now
        while let read = waiting.first, read.deadline <= now {
            waiting.removeFirst()
            finish(
                read,
                with: .failure(DatabaseError(.overloaded, message: "The read timed out while it was queued."))
            )
        }
        for connection in connections {
            if let first = connection.first, first.deadline <= now {
                drop(connection, after: .answerTimedOut)
            }
        }
        if connections.isEmpty, let error = outage.status?.error { failWaitingReads(with: error) }
    }

    private func failWaitingReads(with error: DatabaseError) {
        for read in waiting { finish(read, with: .failure(error)) }
        waiting = []
    }

    /// Opens a connection if one is needed.
    ///
    /// Connecting blocks, so we do it on a separate thread.
    private func connect() {
        guard !isConnecting, connections.count < options.readers else { return }
        let needsAnother = connections.allSatisfy { $0.count >= Self.growthThreshold }
        guard connections.isEmpty ? !waiting.isEmpty || !isClosed : needsAnother else { return }
        if let status = outage.status, status.nextAttempt > .now { return }
        do {
            _ = try WorkThread { [location, options, inbox] in
                let result = Result { () throws(DatabaseError) in
                    try PostgreSQLConnection.open(location, options: options, for: .reading)
                }
                inbox.append(PostgreSQLReadInbox.OpenedConnection(result: result))
            }
            isConnecting = true
        } catch {
            outage.recordFailure(
                DatabaseError(.unavailable, message: "Cannot create a thread for a connection.")
            )
        }
    }

    /// Blocks until a deadline passes or there is input from the inbox or a connection, and then processes
    /// the answers that have arrived.
    private func wait() {
        var descriptors = [pollfd(fd: inbox.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        for connection in connections {
            let events = Int16(POLLIN) | (connection.isSent ? 0 : Int16(POLLOUT))
            descriptors.append(pollfd(fd: connection.socket, events: events, revents: 0))
        }
        poll(&descriptors, nfds_t(descriptors.count), nextDeadline?.pollTimeout ?? -1)
        if descriptors[0].revents != 0 { inbox.drainWakePipe() }
        for (connection, descriptor) in zip(connections, descriptors.dropFirst())
        where descriptor.revents != 0 {
            do throws(PostgreSQLFailure) {
                try connection.receiveAnswers { read, result in finish(read, with: result) }
            } catch {
                drop(connection, after: error)
            }
        }
    }

    /// The time of the next deadline or connection attempt.
    private var nextDeadline: ContinuousClock.Instant? {
        var deadlines = connections.compactMap(\.first?.deadline)
        if let read = waiting.first { deadlines.append(read.deadline) }
        if connections.isEmpty, !isConnecting, let next = outage.status?.nextAttempt {
            deadlines.append(next)
        }
        return deadlines.min()
    }

    /// Drops a connection and puts its pending reads back into the queue.
    ///
    /// Reads don't change any data, so they can safely be repeated.
    private func drop(
        _ connection: PostgreSQLPipelinedConnection,
        after failure: PostgreSQLFailure,
        unsent: [PostgreSQLRead] = []
    ) {
        connections.removeAll { $0 === connection }
        var retried: [PostgreSQLRead] = []
        for var read in connection.reads + unsent {
            read.losses += 1
            if read.deadline > .now, read.losses < Self.lossLimit {
                retried.append(read)
            } else {
                finish(read, with: .failure(failure.error))
            }
        }
        waiting = retried + waiting
    }

    /// Passes the result to the caller, and increments the number of answered reads.
    private func finish(_ read: PostgreSQLRead, with result: Result<[Row], DatabaseError>) {
        answered += 1
        read.finish(result)
    }
}

/// A connection and its pending reads, oldest first.
final class PostgreSQLPipelinedConnection {
    private let connection: PostgreSQLConnection
    /// The reads that have been sent but not answered yet, oldest first.
    private(set) var reads: [PostgreSQLRead] = []
    /// Whether all data has been written to the socket.
    private(set) var isSent = true

    /// Takes ownership of an open connection.
    ///
    /// The connection is closed when the last reference to this object is released.
    init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    var socket: Int32 { connection.socket }
    /// The number of pending reads, which must not exceed ``PostgreSQLOptions/depth``.
    var count: Int { reads.count }
    /// The oldest pending read.
    ///
    /// When the deadline of this read has passed, the connection is considered broken.
    var first: PostgreSQLRead? { reads.first }
    var isIdle: Bool { reads.isEmpty }

    /// Sends a read in its own unit, so that other reads are unaffected if it fails.
    ///
    /// - Throws: ``PostgreSQLFailure`` if the read can't be sent. In that case, the read isn't added to
    ///   ``reads``. If the effect is `connection`, the caller must drop the connection.
    func send(_ read: PostgreSQLRead) throws(PostgreSQLFailure) {
        try connection.append(read.sql, read.values)
        try connection.endUnit()
        isSent = try connection.flush()
        // If an error is thrown above, the caller puts the read back into the queue. We add the read here, at
        // the end, so that it isn't queued twice.
        reads.append(read)
    }

    /// Reads from the connection and passes complete answers to a closure.
    ///
    /// This method doesn't block. Answers arrive in the order in which the reads were sent.
    ///
    /// - Throws: ``PostgreSQLFailure`` if the connection must be replaced. Before the error is thrown,
    ///   all answers that have already arrived are delivered.
    func receiveAnswers(
        deliver: (PostgreSQLRead, Result<[Row], DatabaseError>) -> Void
    ) throws(PostgreSQLFailure) {
        if !isSent { isSent = try connection.flush() }
        let isOpen = connection.receiveInput()
        while let result = try connection.nextUnit() {
            guard !reads.isEmpty else { throw .connectionLost }
            // If only a new connection can fix the failure, we treat the connection as broken.
            if case .failure(let failure) = result, failure.effect == .connection { throw failure }
            deliver(reads.removeFirst(), result.map(\.rows).mapError(\.error))
        }
        if !isOpen { throw .connectionLost }
    }
}
