package import LatchkeyModel

/// A row of a query result.
///
/// Columns are read by position, starting at 0.
///
/// Reading a column that doesn't exist or has a different type throws a ``DatabaseError`` with the code
/// `mismatch`. This error means that the statement doesn't match the schema.
package struct Row: Sendable {
    private let values: [SQLValue]

    /// Creates a row from its values, in the order of the statement's columns.
    package init(_ values: [SQLValue]) {
        self.values = values
    }

    /// Returns whether a column is null.
    ///
    /// If the column doesn't exist, the result is `true`.
    package func isNull(_ column: Int) -> Bool {
        values.indices.contains(column) ? values[column] == .null : true
    }

    /// Returns the integer in a column.
    package func integer(_ column: Int) throws(DatabaseError) -> Int64 {
        guard values.indices.contains(column), case .integer(let number) = values[column] else {
            throw mismatch(column)
        }
        return number
    }

    /// Returns the text in a column.
    ///
    /// Values are never converted, so reading an integer column as text throws an error.
    package func text(_ column: Int) throws(DatabaseError) -> String {
        guard values.indices.contains(column), case .text(let text) = values[column] else {
            throw mismatch(column)
        }
        return text
    }

    /// Returns the bytes in a column.
    ///
    /// An empty value is returned as an empty array, but a null value is an error.
    package func blob(_ column: Int) throws(DatabaseError) -> [UInt8] {
        guard values.indices.contains(column), case .blob(let bytes) = values[column] else {
            throw mismatch(column)
        }
        return bytes
    }

    /// Returns a column that stores a Boolean as 0 or 1.
    package func bool(_ column: Int) throws(DatabaseError) -> Bool {
        try integer(column) != 0
    }

    /// Returns a column that stores a time as microseconds since 1970.
    package func time(_ column: Int) throws(DatabaseError) -> Timestamp {
        Timestamp(microseconds: try integer(column))
    }

    /// Returns a column that stores an identifier as 16 bytes.
    package func identifier(_ column: Int) throws(DatabaseError) -> Identifier {
        guard let identifier = Identifier(bytes: try blob(column)) else { throw mismatch(column) }
        return identifier
    }

    /// Returns the value of a nullable column: `try row.optional(4, as: Row.text)`.
    ///
    /// - Parameters:
    ///   - column: The column's position, starting at 0.
    ///   - read: The method that reads the value when the column isn't null.
    /// - Returns: The value, or `nil` if the column is null.
    /// - Throws: ``DatabaseError`` if the column is neither null nor of the requested type.
    package func optional<Value>(
        _ column: Int,
        as read: (Row) -> (Int) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value? {
        isNull(column) ? nil : try read(self)(column)
    }

    private func mismatch(_ column: Int) -> DatabaseError {
        DatabaseError(
            .mismatch,
            message: "Column \(column) of the result has an unexpected type."
        )
    }
}
