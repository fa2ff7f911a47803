package import LatchkeyModel

/// One row of an answer, read by position.
///
/// A value of another type than asked for is a ``DatabaseError``: the schema and the statement disagree.
package struct Row: Sendable {
    private let values: [SQLValue]

    package init(_ values: [SQLValue]) {
        self.values = values
    }

    package func isNull(_ column: Int) -> Bool {
        values.indices.contains(column) ? values[column] == .null : true
    }

    package func integer(_ column: Int) throws(DatabaseError) -> Int64 {
        guard values.indices.contains(column), case .integer(let number) = values[column] else {
            throw mismatch(column)
        }
        return number
    }

    package func text(_ column: Int) throws(DatabaseError) -> String {
        guard values.indices.contains(column), case .text(let text) = values[column] else {
            throw mismatch(column)
        }
        return text
    }

    package func blob(_ column: Int) throws(DatabaseError) -> [UInt8] {
        guard values.indices.contains(column), case .blob(let bytes) = values[column] else {
            throw mismatch(column)
        }
        return bytes
    }

    package func bool(_ column: Int) throws(DatabaseError) -> Bool {
        try integer(column) != 0
    }

    package func time(_ column: Int) throws(DatabaseError) -> Timestamp {
        Timestamp(microseconds: try integer(column))
    }

    package func identifier(_ column: Int) throws(DatabaseError) -> Identifier {
        guard let identifier = Identifier(bytes: try blob(column)) else { throw mismatch(column) }
        return identifier
    }

    /// Reads a column that may be null.
    package func optional<Value>(
        _ column: Int,
        _ read: (Row) -> (Int) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value? {
        isNull(column) ? nil : try read(self)(column)
    }

    private func mismatch(_ column: Int) -> DatabaseError {
        DatabaseError(.mismatch, "Column \(column) of the answer has another type than the code expects.")
    }
}
