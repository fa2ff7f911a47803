import CPostgreSQL
import Dispatch

/// A superuser connection that is only used on its own queue.
///
/// `@unchecked Sendable` is safe because the handle is only used on the queue.
final class AdminConnection: @unchecked Sendable {
    /// An error returned by the server.
    struct Failure: Error {
        let text: String
    }

    private let queue = DispatchQueue(label: "postgres.admin")
    private let url: String
    private var handle: OpaquePointer?

    init(_ url: String) {
        self.url = url
    }

    deinit {
        PQfinish(handle)
    }

    /// Runs statements and waits for their results.
    ///
    /// - Returns: The first value of the last result, if there is one.
    @discardableResult
    func run(_ sql: String) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.execute(sql) }) }
        }
    }

    private func execute(_ sql: String) throws -> String? {
        if handle == nil || PQstatus(handle) != CONNECTION_OK {
            PQfinish(handle)
            handle = PQconnectdb(url)
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
        }
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            throw Failure(text: String(cString: PQerrorMessage(handle)))
        }
        return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
    }
}
