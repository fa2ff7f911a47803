package import LatchkeyModel

/// A value in a column or a parameter.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// A time, as microseconds.
    package static func time(_ time: Timestamp?) -> SQLValue {
        time.map { .integer($0.microseconds) } ?? .null
    }

    /// An identifier, as 16 bytes.
    package static func identifier(_ identifier: Identifier?) -> SQLValue {
        identifier.map { .blob($0.bytes) } ?? .null
    }

    /// A truth value, as 0 or 1.
    package static func bool(_ value: Bool) -> SQLValue {
        .integer(value ? 1 : 0)
    }

    /// A text that may be missing.
    package static func optional(_ text: String?) -> SQLValue {
        text.map { .text($0) } ?? .null
    }

    /// Bytes that may be missing.
    package static func optional(_ bytes: [UInt8]?) -> SQLValue {
        bytes.map { .blob($0) } ?? .null
    }
}
