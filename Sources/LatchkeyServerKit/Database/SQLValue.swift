package import LatchkeyModel

/// The value of a column or of a statement parameter.
///
/// The schema only uses types that SQLite and PostgreSQL have in common. Booleans and times are stored as
/// integers, and identifiers as bytes.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Returns a time in microseconds since 1970, or a null value if the time is `nil`.
    package static func time(_ time: Timestamp?) -> SQLValue {
        time.map { .integer($0.microseconds) } ?? .null
    }

    /// Returns an identifier as 16 bytes, or a null value if the identifier is `nil`.
    package static func identifier(_ identifier: Identifier?) -> SQLValue {
        identifier.map { .blob($0.bytes) } ?? .null
    }

    /// Returns a Boolean as 0 or 1.
    package static func bool(_ value: Bool) -> SQLValue {
        .integer(value ? 1 : 0)
    }

    /// Returns a text value, or a null value if the string is `nil`.
    package static func optional(_ text: String?) -> SQLValue {
        text.map { .text($0) } ?? .null
    }

    /// Returns a binary value, or a null value if the array is `nil`.
    package static func optional(_ bytes: [UInt8]?) -> SQLValue {
        bytes.map { .blob($0) } ?? .null
    }
}
