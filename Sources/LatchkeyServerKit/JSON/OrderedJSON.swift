package import LatchkeyWire

/// A JSON value whose objects preserve the order of their members.
///
/// Strings and names are equal only if they have the same bytes, whereas Swift's `String` compares by
/// canonical equivalence.
package enum OrderedJSON: Equatable, Sendable {
    /// A member of an object.
    package struct Member: Equatable, Sendable {
        /// The name of the member, without JSON escapes.
        package let name: String
        /// The value of the member.
        package let value: OrderedJSON

        /// Creates a member, without checking that its name is unique in the object.
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
    case string(String)
    case array([OrderedJSON])
    case object([Member])

    /// Returns a member of an object; `nil` if there is none or the value is not an object.
    package subscript(name: String) -> OrderedJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Compares values, of which objects are equal only if their members have the same order.
    ///
    /// An integer and a double with the same numeric value are different.
    package static func == (left: OrderedJSON, right: OrderedJSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// The value as a ``JSONValue``, which does not preserve the order of members.
    package var unordered: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .string(let text): .string(text)
        case .array(let values): .array(values.map(\.unordered))
        case .object(let members):
            .object(Dictionary(members.map { ($0.name, $0.value.unordered) }) { _, last in last })
        }
    }
}

extension JSONWriter {
    /// Writes a value and preserves the order of members in its objects.
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
