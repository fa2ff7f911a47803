import LatchkeyModel

/// A JSON value (RFC 8259) of any structure, such as an identity's traits.
///
/// Numbers without a fraction that fit into 64 bits are stored as ``integer(_:)``, and other numbers as
/// ``double(_:)``. Numbers that would lose digits are stored as ``number(_:)``.
public enum JSONValue: Hashable, Sendable {
    /// The JSON literal `null`.
    case null
    /// The JSON literal `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits into 64 bits.
    case integer(Int64)
    /// A number that isn't an ``integer(_:)``.
    case double(Double)
    /// A number that is neither an `Int64` nor a `Double`, such as `18446744073709551615`.
    case number(JSONNumber)
    /// A JSON string.
    case string(String)
    /// A JSON array.
    case array([JSONValue])
    /// A JSON object. The order of the members is not preserved.
    case object([String: JSONValue])

    /// The member of an object with the given name.
    ///
    /// `nil` if there is no such member or this isn't an object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The string value, or `nil` if this isn't a string.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The integer value, or `nil` if this isn't an ``integer(_:)`` or doesn't fit into an `Int`.
    public var integer: Int? {
        if case .integer(let number) = self { Int(exactly: number) } else { nil }
    }

    /// The numeric value, or `nil` if this isn't a number.
    ///
    /// The value of a ``number(_:)`` is rounded.
    public var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .number(let number): number.double
        default: nil
        }
    }

    /// The Boolean value, or `nil` if this isn't a ``bool(_:)``.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array, or `nil` if this isn't an array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object, or `nil` if this isn't an object.
    public var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a JSON string from a string literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates `true` or `false` from a Boolean literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Creates a number from a floating-point literal.
    ///
    /// A literal without a fraction that fits into 64 bits becomes an ``integer(_:)``.
    public init(floatLiteral value: Double) {
        self = Int64(exactly: value).map(JSONValue.integer) ?? .double(value)
    }

    /// Creates a JSON array from an array literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates a JSON object from a dictionary literal.
    ///
    /// If a name is used more than once, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue: Codable {
    /// Decodes a JSON value of any type.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if the value can't be represented, for example because a number is too
    ///   large.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            // Try strings first because they are the most common. Every wrong guess is slow, because an error
            // is thrown and caught.
            let mayBeMarked = decoder.userInfo[ExactNumbers.key] != nil
            self =
                (mayBeMarked ? ExactNumbers.number(inMarked: value) : nil).map(JSONValue.number)
                ?? .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes this value.
    ///
    /// - Throws: `EncodingError` if a number isn't finite.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .number(let value):
            if let isMarking = encoder.userInfo[ExactNumbers.key] as? Locked<Bool> {
                isMarking.withLock { $0 = true }
                try container.encode(ExactNumbers.marked(value))
            } else {
                // Other encoders can't write numbers of any size.
                try container.encode(value.double)
            }
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
