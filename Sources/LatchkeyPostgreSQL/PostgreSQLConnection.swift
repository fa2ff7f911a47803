import CPostgreSQL
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// One connection in pipeline mode, with its prepared statements; used by one thread at a time.
///
/// What is asked in it goes out in units. Each ends in a sync: an error skips the rest of its own unit, and no other.
final class PostgreSQLConnection {
    /// What an answer belongs to.
    private enum Expectation {
        case preparation(UnsafePointer<UInt8>)
        case statement(StaticString)
        case sync
    }

    private let handle: OpaquePointer
    private var names: [UnsafePointer<UInt8>: String] = [:]
    private var lastName = 0
    private var expected: [Expectation] = []
    private var outcome = StatementOutcome(rows: [], changes: 0)
    private var failure: PostgreSQLFailure?

    /// What the server called the last statement that it has done.
    private(set) var status = ""

    /// Connects; blocks for as long as `connect_timeout` allows for each host.
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
        guard let opened else { throw DatabaseError(.unavailable, "There is no memory for a connection.") }
        handle = opened
        // Otherwise notices would go to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard
            PQstatus(handle) == CONNECTION_OK,
            PQsetnonblocking(handle, 1) == 0,
            PQenterPipelineMode(handle) == 1
        else {
            let reason = location.scrubbed(String(cString: PQerrorMessage(handle)))
            throw DatabaseError(.unavailable, "No connection to \(location): \(reason)")
        }
    }

    deinit {
        PQfinish(handle)
    }

    /// What to poll.
    var socket: Int32 { PQsocket(handle) }

    /// Puts a statement into the unit at the end of the pipeline.
    func append(_ sql: StaticString, _ values: [SQLValue]) throws(PostgreSQLFailure) {
        guard sql.hasPointerRepresentation else {
            throw PostgreSQLFailure(.statement, .failed, "not a statement")
        }
        let parameters = try PostgreSQLParameters(values, of: sql)
        let name = try name(of: sql)
        let isSent = parameters.withPointers { count, pointers, lengths, formats in
            PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw .lost }
        expected.append(.statement(sql))
    }

    /// Ends the unit at the end of the pipeline, and sends what the socket takes.
    func endUnit() throws(PostgreSQLFailure) {
        guard PQpipelineSync(handle) == 1 else { throw .lost }
        expected.append(.sync)
    }

    /// Sends what the socket takes.
    ///
    /// - Returns: Whether all is sent.
    func flush() throws(PostgreSQLFailure) -> Bool {
        switch PQflush(handle) {
        case 0: return true
        case 1: return false
        default: throw .lost
        }
    }

    /// Takes in what the socket has.
    ///
    /// - Returns: Whether the connection still stands; answers may have come also when it does not.
    func takeIn() -> Bool {
        PQconsumeInput(handle) == 1
    }

    /// The result of the unit at the front of the pipeline, if its answers are all there.
    func nextUnit() throws(PostgreSQLFailure) -> Result<StatementOutcome, PostgreSQLFailure>? {
        while let front = expected.first, PQisBusy(handle) == 0 {
            guard let answer = PQgetResult(handle) else {
                // The end of a statement's answers; a sync has no such end.
                guard PQstatus(handle) == CONNECTION_OK else { throw failure ?? .lost }
                if case .sync = front { throw .lost }
                expected.removeFirst()
                continue
            }
            defer { PQclear(answer) }
            if take(answer, for: front) { return finishUnit() }
        }
        return nil
    }

    /// - Returns: Whether it was the end of a unit.
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
            if code != PGRES_PIPELINE_ABORTED { fail(answer, String(cString: sql)) }
        case (PGRES_PIPELINE_ABORTED, _):
            break
        case (_, .statement(let sql)):
            fail(answer, sql.description)
        case (_, .sync):
            fail(answer, "")
        }
        return false
    }

    private func fail(_ answer: OpaquePointer, _ sql: String) {
        failure = failure ?? PostgreSQLFailure(answer, sql)
    }

    private func finishUnit() -> Result<StatementOutcome, PostgreSQLFailure> {
        defer {
            outcome = StatementOutcome(rows: [], changes: 0)
            failure = nil
        }
        return failure.map { .failure($0) } ?? .success(outcome)
    }

    /// The name of a statement on this connection; prepares it in the pipeline when it has none.
    private func name(of sql: StaticString) throws(PostgreSQLFailure) -> String {
        if let name = names[sql.utf8Start] { return name }
        lastName += 1
        let name = "s\(lastName)"
        let isSent = sql.utf8Start.withMemoryRebound(to: CChar.self, capacity: sql.utf8CodeUnitCount + 1) {
            PQsendPrepare(handle, name, $0, 0, nil)
        }
        guard isSent == 1 else { throw .lost }
        expected.append(.preparation(sql.utf8Start))
        names[sql.utf8Start] = name
        return name
    }
}
