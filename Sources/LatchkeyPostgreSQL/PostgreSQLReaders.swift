import LatchkeyModel
import LatchkeyServerCore

/// The thread that reads: few connections, many reads under way on each.
final class PostgreSQLReaders: Sendable {
    private let options: PostgreSQLOptions
    private let mailbox: PostgreSQLMailbox
    private let thread: WorkThread

    init(
        _ location: PostgreSQLLocation,
        _ options: PostgreSQLOptions,
        _ outage: PostgreSQLOutage,
        _ meter: PostgreSQLUsageMeter
    ) throws(DatabaseError) {
        let mailbox = try PostgreSQLMailbox(capacity: options.queue)
        do {
            thread = try WorkThread {
                PostgreSQLReadLoop(location, options, outage, mailbox, meter).run()
            }
        } catch {
            throw DatabaseError(.unavailable, "The system gives no thread for the reader.")
        }
        self.options = options
        self.mailbox = mailbox
    }

    func rows(_ sql: StaticString, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        let deadline = ContinuousClock.now + max(options.patience, options.answerTimeout)
        let result = await withCheckedContinuation { continuation in
            let read = PostgreSQLRead(sql, values, by: deadline, continuation)
            if let refusal = mailbox.put(read) { read.finish(.failure(refusal)) }
        }
        return try result.get()
    }

    /// How many reads are under way or wait.
    var waiting: Int { mailbox.waiting }

    /// Takes no more reads; those that wait are still done.
    func close() {
        mailbox.end()
    }

    func ended() async {
        await thread.ended()
    }
}
