import LatchkeyModel

/// An SQL statement or a fragment of one.
///
/// Statements can only be built from literals. Interpolations accept other `SQL` values but not strings, so
/// values from a request can only be passed as parameters. Composing a statement is slow, so store composed
/// statements in static properties.
///
/// This type is `@unchecked Sendable` because the bytes are immutable and are never deallocated.
package struct SQL: @unchecked Sendable {
    /// The statement in UTF-8, terminated by a NUL byte.
    ///
    /// Drivers use the address to look up cached statements. Two equal composed statements always share an
    /// address, but two equal literals may have different addresses.
    package let start: UnsafePointer<UInt8>

    /// The number of bytes, excluding the NUL terminator.
    package let count: Int

    /// A cache that ensures that each distinct composed statement is only allocated once.
    private static let compositions = Locked<[String: SQL]>([:])

    private init(start: UnsafePointer<UInt8>, count: Int) {
        self.start = start
        self.count = count
    }

    private init(copying text: String) {
        let bytes = Array(text.utf8)
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 1)
        copy.initialize(repeating: 0, count: bytes.count + 1)
        copy.update(from: bytes, count: bytes.count)
        self.init(start: UnsafePointer(copy), count: bytes.count)
    }

    fileprivate static func composed(_ text: String) -> SQL {
        compositions.withLock { compositions in
            if let known = compositions[text] { return known }
            let new = SQL(copying: text)
            compositions[text] = new
            return new
        }
    }
}

extension SQL: CustomStringConvertible {
    /// The text of the statement, without any parameter values.
    package var description: String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension SQL: ExpressibleByStringInterpolation {
    /// The literals and statements that make up an interpolated statement.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Creates an empty interpolation.
        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends a literal part.
        package mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        /// Appends an SQL fragment, such as a list of columns.
        package mutating func appendInterpolation(_ fragment: SQL) {
            text += fragment.description
        }
    }

    /// Creates a statement from a literal without copying its bytes.
    package init(stringLiteral literal: StaticString) {
        self =
            literal.hasPointerRepresentation
            ? SQL(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
            : SQL.composed(literal.description)
    }

    /// Creates a statement from an interpolated literal.
    package init(stringInterpolation: StringInterpolation) {
        self = SQL.composed(stringInterpolation.text)
    }
}
