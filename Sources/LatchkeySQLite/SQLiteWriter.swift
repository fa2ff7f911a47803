import LatchkeyModel
import LatchkeyServerKit

/// The writing thread, on which all waiting transactions share one commit, each in its own savepoint.
final class SQLiteWriter: Sendable {
    /// The maximum number of transactions in a group, which prevents the first transaction in a long queue
    /// from waiting for the last one.
    private static let groupLimit = 256

    /// The connection, which the thread locks while it runs a group.
    ///
    /// Only the readers of an in-memory database also use it.
    let connection: Locked<SQLiteConnection?>

    private let queue: WorkQueue<PendingTransaction>
    /// The error from opening the connection; `nil` if the connection is open.
    private let opening = Deferred<DatabaseError?>()
    private let thread: WorkThread

    /// Starts the thread and opens the connection on it.
    ///
    /// The initializer returns when the connection is open. If opening it fails, the thread ends.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of waiting transactions.
    ///   - broadcast: Receives the publications of committed transactions.
    ///   - open: The closure that opens the connection, which is called once, on the thread.
    /// - Throws: The error that `open` throws, or ``DatabaseError`` with the code `unavailable` if the thread
    ///   cannot be started.
    init(
        queue capacity: Int,
        broadcast: Broadcast,
        open: @escaping @Sendable () throws(DatabaseError) -> SQLiteConnection
    ) async throws(DatabaseError) {
        let connection = Locked<SQLiteConnection?>(nil)
        let queue = WorkQueue<PendingTransaction>(capacity: capacity)
        let opening = opening
        do {
            thread = try WorkThread {
                do throws(DatabaseError) {
                    let opened = try open()
                    connection.withLock { $0 = opened }
                } catch {
                    return opening.set(error)
                }
                opening.set(nil)
                Self.serve(queue, on: connection, broadcast: broadcast)
            }
        } catch {
            throw DatabaseError(.unavailable, message: "The system cannot create a thread for the writer.")
        }
        self.connection = connection
        self.queue = queue
        if let failure = await opening.value { throw failure }
    }

    /// Submits a transaction, whose caller is resumed exactly once.
    ///
    /// If the queue is full or closed, the caller is resumed with an error at once. Transactions run in the
    /// order in which they were submitted.
    func submit(_ write: PendingTransaction) {
        queue.submit(write)
    }

    /// Rejects new transactions, but completes those that are queued.
    func close() {
        queue.close()
    }

    /// Waits until the last transaction is completed and the connection is closed.
    ///
    /// This method does not return before ``close()`` is called.
    func ended() async {
        await thread.ended()
    }

    /// Runs groups of transactions until the queue is closed and empty, and then closes the connection.
    private static func serve(
        _ queue: WorkQueue<PendingTransaction>,
        on connection: Locked<SQLiteConnection?>,
        broadcast: Broadcast
    ) {
        while true {
            let group = queue.take(atMost: groupLimit)
            if group.isEmpty { break }
            let settle = connection.withLock { connection in
                guard let connection else { return { for write in group { write.refuse(.closed) } } }
                return SQLiteGroup(connection, broadcast: broadcast).commit(group)
            }
            settle()
        }
        connection.withLock { $0 = nil }
    }
}
