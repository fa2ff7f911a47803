import CPostgreSQL
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A PostgreSQL connection in pipeline mode that caches its prepared statements.
///
/// Only one thread may use a connection at a time.
///
/// Statements are sent in units, and each unit ends with a Sync message. When a statement fails, the server
/// skips the rest of its unit, but other units are unaffected.
final class PostgreSQLConnection {
    /// The request that an expected answer belongs to.
    private enum Expectation {
        /// A request to prepare the SQL statement at this address.
        case preparation(UnsafePointer<UInt8>)
        /// A request to execute a statement. The SQL is included in error messages.
        case statement(SQL)
        /// The Sync message at the end of a unit.
        case sync
    }

    private let handle: OpaquePointer
    /// The names of the prepared statements, keyed by the address of the SQL string literal.
    private var names: [UnsafePointer<UInt8>: String] = [:]
    /// The number that was used to name the most recently prepared statement.
    ///
    /// Names are never reused on a connection.
    private var lastName = 0
    /// The requests that the server hasn't fully answered yet, oldest first.
    private var expected: [Expectation] = []
    /// The outcome of the most recently completed statement in the first unit of the pipeline.
    private var outcome = StatementOutcome(rows: [], changes: 0)
    private var failure: PostgreSQLFailure?

    /// The command tag of the most recently completed statement.
    ///
    /// If a statement in the transaction has failed, PostgreSQL executes `COMMIT` as a `ROLLBACK`. The tag
    /// indicates whether the transaction was committed or rolled back.
    private(set) var status = ""

    /// Connects to the server.
    ///
    /// This blocks for up to `connect_timeout` per host.
    ///
    /// - Throws: ``DatabaseError`` with the code `unavailable` and libpq's message, with secrets removed.
    init(_ location: PostgreSQLLocation) throws(DatabaseError) {
        var keywords = location.parameters.map { strdup($0.keyword) }
        var values = location.parameters.map { strdup($0.value) }
        keywords.append(nil)
        values.append(nil)
        defer { for text in keywords + values { free(text) } }
        let opened = PQconnectdbParams(
            keywords.map { UnsafePointer($0) },
            values.map { UnsafePointer($0) },
            0
        )
        guard let opened else {
            throw DatabaseError(.unavailable, message: "There is not enough memory to open a connection.")
        }
        handle = opened
        // By default, libpq prints notices to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard
            PQstatus(handle) == CONNECTION_OK,
            PQsetnonblocking(handle, 1) == 0,
            PQenterPipelineMode(handle) == 1
        else {
            let reason = location.redacting(String(cString: PQerrorMessage(handle)))
            throw DatabaseError(.unavailable, message: "Cannot connect to \(location): \(reason)")
        }
    }

    deinit {
        PQfinish(handle)
    }

    /// The socket file descriptor, for use with `poll`.
    var socket: Int32 { PQsocket(handle) }

    /// Appends a statement to the current unit of the pipeline and prepares it if this is its first use.
    ///
    /// Prepared statements are cached by the address of the SQL string literal.
    ///
    /// This method doesn't wait for an answer. The statement's result becomes part of the unit's result,
    /// which arrives after ``endUnit()``.
    ///
    /// - Throws: ``PostgreSQLFailure`` with the effect `statement` if the values cannot be encoded, or with
    ///   the effect `connection` if the connection is lost. If the values cannot be encoded, the statement
    ///   isn't sent.
    func append(_ sql: SQL, _ values: [SQLValue]) throws(PostgreSQLFailure) {
        let parameters = try PostgreSQLParameters(values, of: sql)
        let name = try name(of: sql)
        let isSent = parameters.withPointers { count, pointers, lengths, formats in
            PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw .connectionLost }
        expected.append(.statement(sql))
    }

    /// Ends the current unit of the pipeline.
    ///
    /// Call ``flush()`` to send the unit.
    func endUnit() throws(PostgreSQLFailure) {
        guard PQpipelineSync(handle) == 1 else { throw .connectionLost }
        expected.append(.sync)
    }

    /// Sends as much data as the socket accepts without blocking.
    ///
    /// - Returns: `true` if everything has been sent.
    func flush() throws(PostgreSQLFailure) -> Bool {
        switch PQflush(handle) {
        case 0: return true
        case 1: return false
        default: throw .connectionLost
        }
    }

    /// Reads from the socket without blocking.
    ///
    /// - Returns: `true` if the connection is still open, or `false` if the connection was closed. Answers
    ///   that were received before the connection was closed can still be read.
    func receiveInput() -> Bool {
        PQconsumeInput(handle) == 1
    }

    /// Returns the payloads of all notifications that have arrived since the last call.
    ///
    /// This method doesn't block and should be called after each ``receiveInput()``.
    func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            // A payload that isn't UTF-8 was sent by another program.
            if let payload = String(validatingCString: notification.pointee.extra) {
                payloads.append(payload)
            }
            PQfreemem(notification)
        }
        return payloads
    }

    /// Returns the result of the first unit in the pipeline, or `nil` if it hasn't been fully received yet.
    ///
    /// This method doesn't block. After each ``receiveInput()``, call this method until it returns `nil`.
    ///
    /// - Returns: The outcome of the last statement in the unit, or the first failure in the unit.
    /// - Throws: ``PostgreSQLFailure`` if the connection is lost and no more answers can be received.
    func nextUnit() throws(PostgreSQLFailure) -> Result<StatementOutcome, PostgreSQLFailure>? {
        while let front = expected.first, PQisBusy(handle) == 0 {
            guard let answer = PQgetResult(handle) else {
                // `NULL` marks the end of the results for a statement. The result for a Sync message isn't
                // followed by `NULL`.
                guard PQstatus(handle) == CONNECTION_OK else { throw failure ?? .connectionLost }
                if case .sync = front { throw .connectionLost }
                expected.removeFirst()
                continue
            }
            defer { PQclear(answer) }
            if take(answer, for: front) { return finishUnit() }
        }
        return nil
    }

    /// Processes an answer.
    ///
    /// - Returns: `true` if the answer completes a unit, which is then removed from the pipeline.
    private func take(_ answer: OpaquePointer, for front: Expectation) -> Bool {
        let result = PostgreSQLResult(handle: answer)
        switch (PQresultStatus(answer), front) {
        case (PGRES_PIPELINE_SYNC, _):
            expected.removeFirst()
            return true
        case (PGRES_TUPLES_OK, .statement(let sql)), (PGRES_COMMAND_OK, .statement(let sql)):
            status = result.status
            do throws(PostgreSQLFailure) {
                outcome = try result.outcome(sql.description)
            } catch {
                failure = failure ?? error
            }
        case (PGRES_COMMAND_OK, _):
            break
        case (let code, .preparation(let sql)):
            names[sql] = nil
            if code != PGRES_PIPELINE_ABORTED { fail(answer, sql: String(cString: sql)) }
        case (PGRES_PIPELINE_ABORTED, _):
            break
        case (_, .statement(let sql)):
            fail(answer, sql: sql.description)
        case (_, .sync):
            fail(answer, sql: "")
        }
        return false
    }

    /// Records a failure if it is the first one in the unit.
    private func fail(_ answer: OpaquePointer, sql: String) {
        failure = failure ?? PostgreSQLFailure(answer, sql: sql)
    }

    /// Returns the result of the completed unit and resets the state for the next one.
    private func finishUnit() -> Result<StatementOutcome, PostgreSQLFailure> {
        defer {
            outcome = StatementOutcome(rows: [], changes: 0)
            failure = nil
        }
        return failure.map { .failure($0) } ?? .success(outcome)
    }

    /// Returns the name under which a statement has been prepared.
    ///
    /// If the statement hasn't been prepared yet, its preparation is appended to the pipeline.
    private func name(of sql: SQL) throws(PostgreSQLFailure) -> String {
        if let name = names[sql.start] { return name }
        lastName += 1
        let name = "s\(lastName)"
        let isSent = sql.start.withMemoryRebound(to: CChar.self, capacity: sql.count + 1) {
            PQsendPrepare(handle, name, $0, 0, nil)
        }
        guard isSent == 1 else { throw .connectionLost }
        expected.append(.preparation(sql.start))
        names[sql.start] = name
        return name
    }
}
