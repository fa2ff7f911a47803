import LatchkeyModel
import LatchkeyServerKit

/// Starts and stops the thread that runs concurrent reads on a few connections.
final class PostgreSQLReaders: Sendable {
    private let options: PostgreSQLOptions
    private let inbox: PostgreSQLReadInbox
    private let thread: WorkThread

    /// Starts the thread, which opens its first connection immediately.
    ///
    /// Throws `unavailable` if the thread cannot be started.
    init(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        outage: PostgreSQLOutage,
        meter: PostgreSQLUsageMeter
    ) throws(DatabaseError) {
        let inbox = try PostgreSQLReadInbox(capacity: options.queue)
        do {
            thread = try WorkThread {
                PostgreSQLReadLoop(location, options: options, outage: outage, inbox: inbox, meter: meter)
                    .run()
            }
        } catch {
            throw DatabaseError(.unavailable, message: "Cannot create a thread for the reader.")
        }
        self.options = options
        self.inbox = inbox
    }

    /// Runs a read.
    ///
    /// The read fails if no answer arrives within the wait timeout or the answer timeout, whichever is
    /// longer.
    ///
    /// Cancelling the calling task has no effect.
    ///
    /// - Throws: ``DatabaseError`` with the code `overloaded` if the queue is full or the read was not sent
    ///   in time.
    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        let deadline = ContinuousClock.now + max(options.waitTimeout, options.answerTimeout)
        let result = await withCheckedContinuation { continuation in
            let read = PostgreSQLRead(sql, values, by: deadline, continuation: continuation)
            if let refusal = inbox.append(read) { read.finish(.failure(refusal)) }
        }
        return try result.get()
    }

    var waiting: Int { inbox.waiting }

    /// Rejects new reads.
    ///
    /// Reads that are already queued still run.
    func close() {
        inbox.finish()
    }

    /// Waits until the thread has ended.
    ///
    /// Call ``close()`` first.
    func ended() async {
        await thread.ended()
    }
}
