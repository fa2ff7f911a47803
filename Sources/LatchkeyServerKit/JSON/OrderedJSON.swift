package import LatchkeyWire

/// A JSON value that preserves the order of object members.
///
/// Strings and names are only equal if they consist of the same bytes. In contrast, Swift's `String` uses
/// canonical equivalence.
package enum OrderedJSON: Equatable, Sendable {
    /// A member of an object.
    package struct Member: Equatable, Sendable {
        /// The member's name, without JSON escapes.
        package let name: String
        /// The member's value.
        package let value: OrderedJSON

        /// Creates a member.
        ///
        /// The initializer doesn't check whether the name is unique within its object.
        package init(name: String, value: OrderedJSON) {
            self.name = name
            self.value = value
        }

        /// Compares the names byte by byte.
        package static func == (left: Member, right: Member) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }
    }

    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case number(JSONNumber)
    case string(String)
    case array([OrderedJSON])
    case object([Member])

    /// Creates a number from its JSON text, which must be valid.
    init(number text: ArraySlice<UInt8>) {
        switch JSONValue(numberText: text) {
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .number(let number): self = .number(number)
        default: self = .null
        }
    }

    /// Returns the object member with the given name, or `nil` if there is no such member or this isn't an
    /// object.
    package subscript(name: String) -> OrderedJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Compares two values.
    ///
    /// Objects are only equal if their members are in the same order.
    ///
    /// Numbers are only equal if they are written the same way.
    package static func == (left: OrderedJSON, right: OrderedJSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// The same value as a ``JSONValue``, which doesn't preserve the order of object members.
    package var unordered: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .number(let value): .number(value)
        case .string(let text): .string(text)
        case .array(let values): .array(values.map(\.unordered))
        case .object(let members):
            .object(Dictionary(members.map { ($0.name, $0.value.unordered) }) { _, last in last })
        }
    }
}

extension JSONWriter {
    /// Writes a value and preserves the order of its object members.
    package mutating func value(ordered value: OrderedJSON) {
        switch value {
        case .array(let values): array { writer in for value in values { writer.value(ordered: value) } }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.name(escaping: member.name)
                    writer.value(ordered: member.value)
                }
            }
        default: self.value(value.unordered)
        }
    }
}
