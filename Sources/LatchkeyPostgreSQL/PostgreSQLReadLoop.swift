import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What the reading thread does: hands reads to connections, and answers to those who asked.
final class PostgreSQLReadLoop {
    /// With so many reads under way on each connection, another one is opened.
    private static let crowd = 4

    /// Under a read that breaks connections, only so many are broken.
    private static let losses = 3

    private let location: PostgreSQLLocation
    private let options: PostgreSQLOptions
    private let outage: PostgreSQLOutage
    private let mailbox: PostgreSQLMailbox
    private let meter: PostgreSQLUsageMeter
    private var lines: [PostgreSQLReadLine] = [] {
        didSet { if lines.count != oldValue.count { meter.note(readers: lines.count) } }
    }
    private var waiting: [PostgreSQLRead] = []
    private var isConnecting = false
    private var isClosed = false
    private var answered = 0

    init(
        _ location: PostgreSQLLocation,
        _ options: PostgreSQLOptions,
        _ outage: PostgreSQLOutage,
        _ mailbox: PostgreSQLMailbox,
        _ meter: PostgreSQLUsageMeter
    ) {
        self.location = location
        self.options = options
        self.outage = outage
        self.mailbox = mailbox
        self.meter = meter
    }

    /// Serves until the mailbox is closed and everybody has an answer.
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
                // What is wrong with the address or the password does not mend by waiting.
                if lines.isEmpty, error.code != .unavailable { refuseAll(error) }
            }
        }
    }

    /// Gives each read that waits to the connection with the fewest, as long as there is one with room.
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
                    drop(line, error, with: [read])
                } else {
                    finish(read, .failure(error.error))
                }
            }
        }
    }

    /// Answers those whose time is up; a connection that kept one of them waiting is given up.
    private func expire() {
        let now = ContinuousClock.now
        while let read = waiting.first, read.deadline <= now {
            waiting.removeFirst()
            finish(read, .failure(DatabaseError(.overloaded, "The read waited too long for its turn.")))
        }
        for line in lines {
            if let first = line.first, first.deadline <= now { drop(line, .silent) }
        }
        if lines.isEmpty, let refusal = outage.verdict?.refusal { refuseAll(refusal) }
    }

    private func refuseAll(_ error: DatabaseError) {
        for read in waiting { finish(read, .failure(error)) }
        waiting = []
    }

    /// Opens a connection where one is missing, on a thread of its own: it blocks.
    private func connect() {
        guard !isConnecting, lines.count < options.readers else { return }
        let isCrowded = lines.allSatisfy { $0.count >= Self.crowd }
        guard lines.isEmpty ? !waiting.isEmpty || !isClosed : isCrowded else { return }
        if let verdict = outage.verdict, verdict.next > .now { return }
        do {
            _ = try WorkThread { [location, options, mailbox] in
                let connection = Result { () throws(DatabaseError) in
                    try PostgreSQLConnection.open(location, options, for: .reading)
                }
                mailbox.put(PostgreSQLMailbox.Arrival(connection: connection))
            }
            isConnecting = true
        } catch {
            outage.begin(DatabaseError(.unavailable, "The system gives no thread to connect on."))
        }
    }

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
                try line.serve { read, result in finish(read, result) }
            } catch {
                drop(line, error)
            }
        }
    }

    private var nextDeadline: ContinuousClock.Instant? {
        var deadlines = lines.compactMap(\.first?.deadline)
        if let read = waiting.first { deadlines.append(read.deadline) }
        if lines.isEmpty, !isConnecting, let next = outage.verdict?.next { deadlines.append(next) }
        return deadlines.min()
    }

    /// Gives up a connection; what was under way on it is read again on another one, for reading changes nothing.
    private func drop(
        _ line: PostgreSQLReadLine,
        _ failure: PostgreSQLFailure,
        with more: [PostgreSQLRead] = []
    ) {
        lines.removeAll { $0 === line }
        var again: [PostgreSQLRead] = []
        for var read in line.reads + more {
            read.losses += 1
            if read.deadline > .now, read.losses < Self.losses {
                again.append(read)
            } else {
                finish(read, .failure(failure.error))
            }
        }
        waiting = again + waiting
    }

    private func finish(_ read: PostgreSQLRead, _ result: Result<[Row], DatabaseError>) {
        answered += 1
        read.finish(result)
    }
}

/// A connection and the reads that are under way on it.
final class PostgreSQLReadLine {
    let connection: PostgreSQLConnection
    private(set) var reads: [PostgreSQLRead] = []
    private(set) var isSent = true

    init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    var count: Int { reads.count }
    var first: PostgreSQLRead? { reads.first }
    var isIdle: Bool { reads.isEmpty }

    /// Sends a read in a unit of its own, so that an error is only its own.
    func send(_ read: PostgreSQLRead) throws(PostgreSQLFailure) {
        try connection.append(read.sql, read.values)
        try connection.endUnit()
        reads.append(read)
        isSent = try connection.flush()
    }

    /// Takes in what has come and hands out the answers.
    func serve(
        _ answer: (PostgreSQLRead, Result<[Row], DatabaseError>) -> Void
    ) throws(PostgreSQLFailure) {
        if !isSent { isSent = try connection.flush() }
        let stands = connection.takeIn()
        while let result = try connection.nextUnit() {
            guard !reads.isEmpty else { throw .lost }
            // A failure that only another connection mends is one of the connection.
            if case .failure(let failure) = result, failure.effect == .connection { throw failure }
            answer(reads.removeFirst(), result.map(\.rows).mapError(\.error))
        }
        if !stands { throw .lost }
    }
}
