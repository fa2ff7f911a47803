import CPostgreSQL
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A connection in pipeline mode with its prepared statements, which only one thread may use at a time.
///
/// Statements are sent in units, each of which ends with a Sync message. After an error, the server skips the
/// rest of the unit in which it occurred, but no other unit.
final class PostgreSQLConnection {
    /// The request to which an expected answer belongs.
    private enum Expectation {
        /// The preparation of the statement at this address.
        case preparation(UnsafePointer<UInt8>)
        /// The execution of a statement, with its SQL for error messages.
        case statement(SQL)
        /// The end of a unit.
        case sync
    }

    private let handle: OpaquePointer
    /// The names of the prepared statements, keyed by the address of the string literal.
    private var names: [UnsafePointer<UInt8>: String] = [:]
    /// The number in the name of the last prepared statement.
    ///
    /// A connection does not reuse names.
    private var lastName = 0
    /// The requests that have no complete answer yet, in the order in which they were sent.
    private var expected: [Expectation] = []
    /// The outcome of the last completed statement in the first unit of the pipeline.
    private var outcome = StatementOutcome(rows: [], changes: 0)
    /// The first failure in the first unit of the pipeline.
    private var failure: PostgreSQLFailure?

    /// The command tag of the last completed statement.
    ///
    /// The tag shows whether PostgreSQL executed a `COMMIT` as a `ROLLBACK` because a statement had failed.
    private(set) var status = ""

    /// Connects to the server, and blocks for up to `connect_timeout` per host.
    ///
    /// - Throws: ``DatabaseError`` with the code `unavailable` and libpq's message, from which secrets are
    ///   removed.
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
            throw DatabaseError(.unavailable, message: "There is not enough memory for a connection.")
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

    /// The socket to wait for with `poll`.
    var socket: Int32 { PQsocket(handle) }

    /// Appends a statement to the last unit in the pipeline, and prepares it on first use.
    ///
    /// The cache of prepared statements is keyed by the address of the string literal.
    ///
    /// This method does not wait. The result of the statement is part of the result of the unit, which
    /// arrives after ``endUnit()``.
    ///
    /// - Throws: ``PostgreSQLFailure`` with the effect `statement` if the values cannot be encoded, in which
    ///   case no part of the statement is sent, or with the effect `connection` if the connection is lost.
    func append(_ sql: SQL, _ values: [SQLValue]) throws(PostgreSQLFailure) {
        let parameters = try PostgreSQLParameters(values, of: sql)
        let name = try name(of: sql)
        let isSent = parameters.withPointers { count, pointers, lengths, formats in
            PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw .connectionLost }
        expected.append(.statement(sql))
    }

    /// Ends the last unit in the pipeline, whose result arrives after a ``flush()``.
    func endUnit() throws(PostgreSQLFailure) {
        guard PQpipelineSync(handle) == 1 else { throw .connectionLost }
        expected.append(.sync)
    }

    /// Sends as much as the socket accepts without blocking.
    ///
    /// - Returns: Whether everything has been sent.
    func flush() throws(PostgreSQLFailure) -> Bool {
        switch PQflush(handle) {
        case 0: return true
        case 1: return false
        default: throw .connectionLost
        }
    }

    /// Reads from the socket without blocking.
    ///
    /// - Returns: Whether the connection is still open. Answers may have been received even if it is closed.
    func receiveInput() -> Bool {
        PQconsumeInput(handle) == 1
    }

    /// Returns the payloads of the notifications that have arrived since the last call.
    ///
    /// This method does not block. Call it after each ``receiveInput()``.
    func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }

    /// Returns the result of the first unit in the pipeline, or `nil` if its answers are not complete.
    ///
    /// This method does not block. Call it after each ``receiveInput()``, until it returns `nil`.
    ///
    /// - Returns: The outcome of the last statement in the unit, or the first failure in the unit.
    /// - Throws: ``PostgreSQLFailure`` if the connection is lost, after which no further answers arrive.
    func nextUnit() throws(PostgreSQLFailure) -> Result<StatementOutcome, PostgreSQLFailure>? {
        while let front = expected.first, PQisBusy(handle) == 0 {
            guard let answer = PQgetResult(handle) else {
                // `NULL` marks the end of the answers to a statement, whereas the answer to a Sync message
                // has no end marker.
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

    /// Processes one answer, and removes the unit from the pipeline if the answer ends it.
    ///
    /// - Returns: Whether the answer ended a unit.
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

    /// Records the first failure of a unit.
    private func fail(_ answer: OpaquePointer, sql: String) {
        failure = failure ?? PostgreSQLFailure(answer, sql: sql)
    }

    /// Returns the result of the completed unit, and resets the state for the next unit.
    private func finishUnit() -> Result<StatementOutcome, PostgreSQLFailure> {
        defer {
            outcome = StatementOutcome(rows: [], changes: 0)
            failure = nil
        }
        return failure.map { .failure($0) } ?? .success(outcome)
    }

    /// Returns the name of a prepared statement, and appends its preparation to the pipeline if it is not
    /// prepared yet.
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
