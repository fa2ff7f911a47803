import CSQLite
import LatchkeyModel
import LatchkeyServerKit

/// A prepared statement on a connection.
///
/// Like its connection, a statement may be used by only one thread at a time.
final class SQLiteStatement {
    private let sql: SQL
    private let connection: OpaquePointer
    private let handle: OpaquePointer

    /// The index of the value for each of SQLite's parameters, for example 2 for `$3`.
    private let positions: [Int]
    private let valueCount: Int

    /// Whether the statement is read-only.
    let isReadOnly: Bool

    /// Prepares a statement.
    ///
    /// Parameters must be written as `$1`, `$2` and so on.
    ///
    /// - Throws: ``DatabaseError`` with the code `failed` if the SQL is invalid or a parameter uses any other
    ///   notation. The message contains the SQL and SQLite's description of the error.
    init(_ sql: SQL, on connection: OpaquePointer) throws(DatabaseError) {
        var prepared: OpaquePointer?
        let code = sql.start.withMemoryRebound(to: CChar.self, capacity: sql.count) { text in
            sqlite3_prepare_v3(
                connection,
                text,
                Int32(sql.count),
                UInt32(SQLITE_PREPARE_PERSISTENT),
                &prepared,
                nil
            )
        }
        guard code == SQLITE_OK, let prepared else {
            throw DatabaseError(sqlite: code, "\(String(cString: sqlite3_errmsg(connection))) in: \(sql)")
        }
        var positions: [Int] = []
        for index in 0..<sqlite3_bind_parameter_count(prepared) {
            guard
                let name = sqlite3_bind_parameter_name(prepared, index + 1),
                let number = Int(String(cString: name).dropFirst()), number > 0
            else {
                sqlite3_finalize(prepared)
                throw DatabaseError(.failed, message: "parameters must be written as $1, $2, …: \(sql)")
            }
            positions.append(number - 1)
        }
        self.sql = sql
        self.connection = connection
        self.positions = positions
        valueCount = (positions.max() ?? -1) + 1
        isReadOnly = sqlite3_stmt_readonly(prepared) != 0
        handle = prepared
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs the statement to completion and returns its rows and the number of changed rows.
    ///
    /// - Parameter values: The parameter values, starting with the one for `$1`.
    /// - Returns: The outcome. The number of changed rows is 0 for read-only statements.
    /// - Throws: ``DatabaseError`` with the code `failed` if the number of values is wrong, or `mismatch` if
    ///   the result contains a floating-point number. For SQLite errors, the code depends on SQLite's result
    ///   code.
    func run(_ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        guard values.count == valueCount else {
            throw DatabaseError(.failed, message: "takes \(valueCount) values, got \(values.count): \(sql)")
        }
        // Resetting the statement also releases the snapshot and the values, even after an error.
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, position) in positions.enumerated() {
            try check(bind(values[position], at: Int32(index + 1)))
        }
        var rows: [Row] = []
        while true {
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE { break }
            guard code == SQLITE_ROW else { throw failure(code) }
            rows.append(try row())
        }
        return StatementOutcome(rows: rows, changes: isReadOnly ? 0 : Int(sqlite3_changes64(connection)))
    }

    /// Binds a value to a parameter and returns SQLite's result code.
    ///
    /// Indices start at 1.
    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null:
            sqlite3_bind_null(handle, index)
        case .integer(let number):
            sqlite3_bind_int64(handle, index, number)
        case .text(var text):
            text.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) { text in
                    // An empty string may have no base address, and binding a null pointer would store NULL.
                    text.isEmpty
                        ? sqlite3_bind_text(handle, index, "", 0, copied)
                        : sqlite3_bind_text(handle, index, text.baseAddress, Int32(text.count), copied)
                }
            }
        case .blob(let bytes):
            bytes.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), copied)
            }
        }
    }

    /// Returns the current row.
    ///
    /// The values in text and blob columns are copied.
    private func row() throws(DatabaseError) -> Row {
        let count = sqlite3_column_count(handle)
        var values: [SQLValue] = []
        values.reserveCapacity(Int(count))
        for column in 0..<count {
            values.append(try value(column))
        }
        return Row(values)
    }

    /// Returns a value from the current row.
    ///
    /// Throws `mismatch` for floating-point numbers and for text that isn't UTF-8.
    private func value(_ column: Int32) throws(DatabaseError) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL:
            return .null
        case SQLITE_INTEGER:
            return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(handle, column)
            let count = Int(sqlite3_column_bytes(handle, column))
            let bytes = UnsafeBufferPointer(start: start, count: count)
            guard let text = try? String(utf8: bytes) else {
                throw DatabaseError(.mismatch, message: "column \(column) is not UTF-8: \(sql)")
            }
            return .text(text)
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, column)
            let count = Int(sqlite3_column_bytes(handle, column))
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
        default:
            throw DatabaseError(.mismatch, message: "column \(column) is a floating-point number: \(sql)")
        }
    }

    /// Throws an error unless the result code is `SQLITE_OK`.
    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Creates the error for a result code.
    ///
    /// We include SQLite's message only for constraint violations, because it then contains column names but
    /// no values. Messages for other errors may contain values.
    private func failure(_ code: Int32) -> DatabaseError {
        let detail = code & 0xFF == SQLITE_CONSTRAINT ? String(cString: sqlite3_errmsg(connection)) : ""
        return DatabaseError(sqlite: code, "\(detail) in: \(sql)")
    }
}

/// The constant `SQLITE_TRANSIENT`, which makes SQLite copy a value.
///
/// Swift doesn't import this constant.
private var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
