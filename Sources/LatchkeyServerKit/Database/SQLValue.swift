package import LatchkeyModel

/// A value of a column or a statement parameter.
///
/// The schema uses only these types, which SQLite and PostgreSQL share. Booleans and times are stored as
/// integers, identifiers as bytes.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Returns a time as microseconds since 1970, or null for `nil`.
    package static func time(_ time: Timestamp?) -> SQLValue {
        time.map { .integer($0.microseconds) } ?? .null
    }

    /// Returns an identifier as 16 bytes, or null for `nil`.
    package static func identifier(_ identifier: Identifier?) -> SQLValue {
        identifier.map { .blob($0.bytes) } ?? .null
    }

    /// Returns a Boolean as 0 or 1.
    package static func bool(_ value: Bool) -> SQLValue {
        .integer(value ? 1 : 0)
    }

    /// Returns a string, or null for `nil`.
    package static func optional(_ text: String?) -> SQLValue {
        text.map { .text($0) } ?? .null
    }

    /// Returns bytes, or null for `nil`.
    package static func optional(_ bytes: [UInt8]?) -> SQLValue {
        bytes.map { .blob($0) } ?? .null
    }
}
