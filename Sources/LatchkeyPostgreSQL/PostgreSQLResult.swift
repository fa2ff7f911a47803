import CPostgreSQL
import LatchkeyModel
import LatchkeyServerKit

/// An answer from libpq in binary format.
struct PostgreSQLResult {
    /// The underlying `PGresult`.
    ///
    /// The caller owns it and must clear it.
    let handle: OpaquePointer

    /// Returns the rows and the number of changed rows.
    ///
    /// The supported column types are `bigint`, `integer`, `smallint`, `boolean`, `bytea` and the character
    /// types; any other type throws `mismatch`. A boolean becomes the integer 0 or 1.
    func outcome(_ sql: String) throws(PostgreSQLFailure) -> StatementOutcome {
        let columns = PQnfields(handle)
        let types = (0..<columns).map { PQftype(handle, $0) }
        var rows: [Row] = []
        let count = PQntuples(handle)
        rows.reserveCapacity(Int(count))
        for row in 0..<count {
            var values: [SQLValue] = []
            values.reserveCapacity(Int(columns))
            for column in 0..<columns {
                values.append(try value(row: row, column: column, type: types[Int(column)], sql: sql))
            }
            rows.append(Row(values))
        }
        return StatementOutcome(rows: rows, changes: changes)
    }

    /// The command tag of the completed statement, such as `COMMIT` or `UPDATE 1`.
    var status: String { String(cString: PQcmdStatus(handle)) }

    /// The number of changed rows, which is zero for `SELECT`.
    private var changes: Int {
        guard let text = PQcmdTuples(handle), text.pointee != 0 else { return 0 }
        return status.hasPrefix("SELECT") ? 0 : Int(String(cString: text)) ?? 0
    }

    /// Decodes a value according to the OID of its type.
    private func value(
        row: Int32,
        column: Int32,
        type: Oid,
        sql: String
    ) throws(PostgreSQLFailure) -> SQLValue {
        if PQgetisnull(handle, row, column) == 1 { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column),
            count: Int(PQgetlength(handle, row, column))
        )
        switch type {
        case 20, 21, 23:  // int8, int2, int4: the sign is in the first byte
            let start: Int64 = bytes.first.map { $0 >= 0x80 } == true ? -1 : 0
            return .integer(bytes.reduce(start) { $0 << 8 | Int64($1) })
        case 16:  // bool
            return .integer(bytes.first == 0 ? 0 : 1)
        case 17:  // bytea
            return .blob(Array(bytes))
        case 18, 19, 25, 705, 1042, 1043:  // char, name, text, unknown, bpchar, varchar
            guard let text = try? String(utf8: bytes) else {
                throw PostgreSQLFailure(
                    .statement,
                    code: .mismatch,
                    message: "column \(column) is not UTF-8: \(sql)"
                )
            }
            return .text(text)
        default:
            throw PostgreSQLFailure(
                .statement,
                code: .mismatch,
                message: "column \(column) has the unsupported type \(type): \(sql)"
            )
        }
    }
}
