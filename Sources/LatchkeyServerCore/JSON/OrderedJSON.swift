package import LatchkeyWire

/// A JSON value whose objects keep the order in which their members were written.
///
/// Two values are equal if their texts have the same bytes.
package enum OrderedJSON: Equatable, Sendable {
    /// A member of an object.
    package struct Member: Equatable, Sendable {
        package let name: String
        package let value: OrderedJSON

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

    /// The member of an object; nothing for other values and missing members.
    package subscript(name: String) -> OrderedJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

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

    /// The same value without the order.
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
    /// Writes a value in its own order.
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
