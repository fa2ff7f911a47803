import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The event loop of the reading thread: distributes reads to connections, and answers to callers.
final class PostgreSQLReadLoop {
    /// The number of pending reads on every connection at which another connection is opened.
    private static let crowd = 4

    /// The number of connections that may break under a read before it fails.
    private static let losses = 3

    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let outage: PostgreSQLOutage
    private let mailbox: PostgreSQLMailbox
    private let meter: PostgreSQLUsageMeter
    /// The open connections.
    private var lines: [PostgreSQLReadLine] = [] {
        didSet { if lines.count != oldValue.count { meter.note(readers: lines.count) } }
    }
    /// The reads that wait for a connection with room, the oldest first.
    private var waiting: [PostgreSQLRead] = []
    /// Whether a connection is being opened on another thread.
    private var isConnecting = false
    private var isClosed = false
    /// The number of reads that were answered since the mailbox was last emptied.
    private var answered = 0

    init(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        outage: PostgreSQLOutage,
        mailbox: PostgreSQLMailbox,
        meter: PostgreSQLUsageMeter
    ) {
        self.location = location
        self.options = options
        self.outage = outage
        self.mailbox = mailbox
        self.meter = meter
    }

    /// Runs until the mailbox is closed and all reads are answered.
    func run() {
        while true {
            takeMail()
            send()
            expire()
            if isClosed, waiting.isEmpty, !isConnecting, lines.allSatisfy(\.isIdle) { return }
            connect()
            wait()
        }
    }

    /// Takes new reads and connections from the mailbox.
    private func takeMail() {
        let mail = mailbox.take(answered: answered)
        answered = 0
        isClosed = mail.isClosed
        waiting += mail.reads
        for arrival in mail.arrivals {
            isConnecting = false
            switch arrival.connection {
            case .success(let connection):
                outage.end()
                lines.append(PostgreSQLReadLine(connection))
            case .failure(let error):
                outage.begin(error)
                // A wrong address or password will not become valid by waiting.
                if lines.isEmpty, error.code != .unavailable { refuseAll(error) }
            }
        }
    }

    /// Sends waiting reads, each on the connection with the fewest pending reads that has room.
    private func send() {
        while let read = waiting.first {
            guard
                let line = lines.min(by: { $0.count < $1.count }), line.count < options.depth
            else { break }
            waiting.removeFirst()
            do throws(PostgreSQLFailure) {
                try line.send(read)
            } catch {
                if error.effect == .connection {
                    drop(line, after: error, with: [read])
                } else {
                    finish(read, with: .failure(error.error))
                }
            }
        }
    }

    /// Fails reads whose deadline has passed, and gives up connections that did not answer in time.
    private func expire() {
        let now = ContinuousClock.now
        while let read = waiting.first, read.deadline <= now {
            waiting.removeFirst()
            finish(
                read,
                with: .failure(DatabaseError(.overloaded, message: "The read timed out while it was queued."))
            )
        }
        for line in lines {
            if let first = line.first, first.deadline <= now { drop(line, after: .silent) }
        }
        if lines.isEmpty, let refusal = outage.verdict?.refusal { refuseAll(refusal) }
    }

    /// Fails all waiting reads.
    private func refuseAll(_ error: DatabaseError) {
        for read in waiting { finish(read, with: .failure(error)) }
        waiting = []
    }

    /// Opens a connection if one is needed, on a thread of its own because connecting blocks.
    private func connect() {
        guard !isConnecting, lines.count < options.readers else { return }
        let isCrowded = lines.allSatisfy { $0.count >= Self.crowd }
        guard lines.isEmpty ? !waiting.isEmpty || !isClosed : isCrowded else { return }
        if let verdict = outage.verdict, verdict.next > .now { return }
        do {
            _ = try WorkThread { [location, options, mailbox] in
                let connection = Result { () throws(DatabaseError) in
                    try PostgreSQLConnection.open(location, options: options, for: .reading)
                }
                mailbox.put(PostgreSQLMailbox.Arrival(connection: connection))
            }
            isConnecting = true
        } catch {
            outage.begin(
                DatabaseError(.unavailable, message: "The system cannot create a thread for a connection.")
            )
        }
    }

    /// Blocks until the mailbox, a connection or a deadline needs attention, and processes arrived answers.
    private func wait() {
        var descriptors = [pollfd(fd: mailbox.wakeEnd, events: Int16(POLLIN), revents: 0)]
        for line in lines {
            let events = Int16(POLLIN) | (line.isSent ? 0 : Int16(POLLOUT))
            descriptors.append(pollfd(fd: line.connection.socket, events: events, revents: 0))
        }
        poll(&descriptors, nfds_t(descriptors.count), nextDeadline?.pollTimeout ?? -1)
        if descriptors[0].revents != 0 { mailbox.silence() }
        for (line, descriptor) in zip(lines, descriptors.dropFirst()) where descriptor.revents != 0 {
            do throws(PostgreSQLFailure) {
                try line.serve { read, result in finish(read, with: result) }
            } catch {
                drop(line, after: error)
            }
        }
    }

    /// The time of the next event that needs attention without input: a deadline or a connection attempt.
    private var nextDeadline: ContinuousClock.Instant? {
        var deadlines = lines.compactMap(\.first?.deadline)
        if let read = waiting.first { deadlines.append(read.deadline) }
        if lines.isEmpty, !isConnecting, let next = outage.verdict?.next { deadlines.append(next) }
        return deadlines.min()
    }

    /// Gives up a connection and queues its pending reads again, which is safe because they change no data.
    private func drop(
        _ line: PostgreSQLReadLine,
        after failure: PostgreSQLFailure,
        with more: [PostgreSQLRead] = []
    ) {
        lines.removeAll { $0 === line }
        var again: [PostgreSQLRead] = []
        for var read in line.reads + more {
            read.losses += 1
            if read.deadline > .now, read.losses < Self.losses {
                again.append(read)
            } else {
                finish(read, with: .failure(failure.error))
            }
        }
        waiting = again + waiting
    }

    private func finish(_ read: PostgreSQLRead, with result: Result<[Row], DatabaseError>) {
        answered += 1
        read.finish(result)
    }
}

/// A connection and its pending reads, in the order in which they were sent.
final class PostgreSQLReadLine {
    let connection: PostgreSQLConnection
    private(set) var reads: [PostgreSQLRead] = []
    /// Whether all sent reads have been passed to the socket.
    private(set) var isSent = true

    init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    var count: Int { reads.count }
    var first: PostgreSQLRead? { reads.first }
    var isIdle: Bool { reads.isEmpty }

    /// Sends a read in a unit of its own, so that its failure does not affect others.
    func send(_ read: PostgreSQLRead) throws(PostgreSQLFailure) {
        try connection.append(read.sql, read.values)
        try connection.endUnit()
        reads.append(read)
        isSent = try connection.flush()
    }

    /// Reads from the connection and passes completed answers to a closure.
    func serve(
        _ answer: (PostgreSQLRead, Result<[Row], DatabaseError>) -> Void
    ) throws(PostgreSQLFailure) {
        if !isSent { isSent = try connection.flush() }
        let stands = connection.takeIn()
        while let result = try connection.nextUnit() {
            guard !reads.isEmpty else { throw .lost }
            // A failure that only a new connection can fix counts as a failure of the connection.
            if case .failure(let failure) = result, failure.effect == .connection { throw failure }
            answer(reads.removeFirst(), result.map(\.rows).mapError(\.error))
        }
        if !stands { throw .lost }
    }
}
