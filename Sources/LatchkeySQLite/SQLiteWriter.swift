import LatchkeyModel
import LatchkeyServerKit

/// The thread that runs transactions.
///
/// Transactions that are waiting at the same time share one commit, each with its own savepoint.
final class SQLiteWriter: Sendable {
    /// The maximum number of transactions in a group.
    ///
    /// Without this limit, the first transaction in a long queue would have to wait for the last one.
    private static let groupLimit = 256

    /// The connection.
    ///
    /// The thread holds the lock while it runs a group of transactions.
    ///
    /// The only other users of this connection are the readers of an in-memory database.
    let connection: Locked<SQLiteConnection?>

    /// Whether the most recent transaction could be written.
    let health = WriteHealth()

    private let queue: WorkQueue<PendingTransaction>
    /// The error thrown while opening the connection, or `nil` if the connection is open.
    private let opening = Deferred<DatabaseError?>()
    private let thread: WorkThread

    /// Starts the thread and opens the connection on it.
    ///
    /// The initializer returns once the connection is open. If the connection cannot be opened, the thread
    /// exits.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of waiting transactions.
    ///   - broadcast: The broadcast that publishes the changes made by committed transactions.
    ///   - open: A closure that opens the connection. The closure is called once, on the thread.
    /// - Throws: Any error thrown by `open`, or ``DatabaseError`` with the code `unavailable` if the thread
    ///   cannot be started.
    init(
        queue capacity: Int,
        broadcast: Broadcast,
        open: @escaping @Sendable () throws(DatabaseError) -> SQLiteConnection
    ) async throws(DatabaseError) {
        let connection = Locked<SQLiteConnection?>(nil)
        let queue = WorkQueue<PendingTransaction>(capacity: capacity)
        let (opening, health) = (opening, health)
        do {
            thread = try WorkThread {
                do throws(DatabaseError) {
                    let opened = try open()
                    connection.withLock { $0 = opened }
                } catch {
                    return opening.set(error)
                }
                opening.set(nil)
                Self.serve(queue, on: connection, broadcast: broadcast, health: health)
            }
        } catch {
            throw DatabaseError(.unavailable, message: "Cannot create a thread for the writer.")
        }
        self.connection = connection
        self.queue = queue
        if let failure = await opening.value { throw failure }
    }

    /// Submits a transaction.
    ///
    /// The caller is resumed exactly once.
    ///
    /// If the queue is full or closed, the caller is resumed immediately with an error. Transactions run in
    /// the order in which they were submitted.
    func submit(_ write: PendingTransaction) {
        queue.submit(write)
    }

    /// Rejects new transactions.
    ///
    /// Transactions that are already queued still run.
    func close() {
        queue.close()
    }

    /// Waits until the last transaction has finished and the connection is closed.
    ///
    /// This method doesn't return until ``close()`` has been called.
    func ended() async {
        await thread.ended()
    }

    /// Runs groups of transactions until the queue is closed and empty, and then closes the connection.
    private static func serve(
        _ queue: WorkQueue<PendingTransaction>,
        on connection: Locked<SQLiteConnection?>,
        broadcast: Broadcast,
        health: WriteHealth
    ) {
        while true {
            let group = queue.take(atMost: groupLimit)
            if group.isEmpty { break }
            let settle = connection.withLock { connection in
                guard let connection else { return { for write in group { write.refuse(.closed) } } }
                return SQLiteGroup(connection, broadcast: broadcast, health: health).commit(group)
            }
            settle()
        }
        connection.withLock { $0 = nil }
    }
}
