import LatchkeyModel

/// A constant SQL statement, or a fragment of one.
///
/// A statement is built from literals only. An interpolation accepts other `SQL` values but no strings, so
/// values from a request can only be passed as parameters. Store composed statements in static properties,
/// because composing a statement takes time.
///
/// `@unchecked Sendable`: the bytes are immutable and never released.
package struct SQL: @unchecked Sendable {
    /// The text in UTF-8, followed by a NUL.
    ///
    /// The address identifies the statement in the drivers' caches: equal composed statements have the same
    /// address, but equal literals may have different addresses.
    package let start: UnsafePointer<UInt8>

    /// The number of bytes without the NUL.
    package let count: Int

    /// A cache of the composed statements, so that each distinct statement is allocated only once.
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
    /// The text of the statement, which contains no values.
    package var description: String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension SQL: ExpressibleByStringInterpolation {
    /// The parts of an interpolation: literals and other statements.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Creates an empty interpolation.
        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends a literal part.
        package mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        /// Appends a fragment, such as a list of columns.
        package mutating func appendInterpolation(_ fragment: SQL) {
            text += fragment.description
        }
    }

    /// Creates a statement from a literal, whose bytes are not copied.
    package init(stringLiteral literal: StaticString) {
        self =
            literal.hasPointerRepresentation
            ? SQL(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
            : SQL.composed(literal.description)
    }

    /// Creates a statement from its parts.
    package init(stringInterpolation: StringInterpolation) {
        self = SQL.composed(stringInterpolation.text)
    }
}
