import LatchkeyModel
import LatchkeyServerCore

/// The one thread that writes: all transactions that wait share one commit, each behind its savepoint.
final class SQLiteWriter: Sendable {
    /// So that the first of a long queue need not wait for the last.
    private static let groupLimit = 256

    /// Held by the thread for the length of a group; otherwise wanted only by readers of a database in memory.
    let connection: Locked<SQLiteConnection?>

    private let queue: WorkQueue<PendingTransaction>
    private let opening = Deferred<DatabaseError?>()
    private let thread: WorkThread

    /// Starts the thread and opens the connection on it.
    init(
        queue capacity: Int,
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
                Self.serve(queue, connection)
            }
        } catch {
            throw DatabaseError(.unavailable, "The system gives no thread for the writer.")
        }
        self.connection = connection
        self.queue = queue
        if let failure = await opening.value { throw failure }
    }

    /// Hands in a transaction; its caller gets exactly one answer.
    func submit(_ write: PendingTransaction) {
        queue.submit(write)
    }

    /// Takes no more transactions; those that wait are still done.
    func close() {
        queue.close()
    }

    /// Waits until the last transaction is done and the connection closed.
    func ended() async {
        await thread.ended()
    }

    private static func serve(_ queue: WorkQueue<PendingTransaction>, _ connection: Locked<SQLiteConnection?>)
    {
        while true {
            let group = queue.take(atMost: groupLimit)
            if group.isEmpty { break }
            let settle = connection.withLock { connection in
                guard let connection else { return { for write in group { write.refuse(.closed) } } }
                return SQLiteGroup(connection).commit(group)
            }
            settle()
        }
        connection.withLock { $0 = nil }
    }
}
