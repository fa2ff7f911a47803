import LatchkeyServerKit
import LatchkeyWire

/// Reads an object in an identity schema.
///
/// All members must have been read before ``finish()`` is called.
struct SchemaObject {
    /// The JSON pointer to this object, which is used in errors.
    let place: String
    private var rest: [OrderedJSON.Member]

    /// Creates a reader for a value, which must be an object.
    ///
    /// - Parameters:
    ///   - value: The value to read.
    ///   - place: The JSON pointer to the value, which is used in errors.
    /// - Throws: ``SchemaError`` if the value isn't an object.
    init(_ value: OrderedJSON, at place: String) throws(SchemaError) {
        guard case .object(let members) = value else {
            throw SchemaError(place: place, message: "must be an object")
        }
        self.place = place
        rest = members
    }

    /// Returns the JSON pointer to a member.
    ///
    /// Special characters in the member's name are escaped (RFC 6901, section 3).
    func pointer(_ name: String) -> String { Self.pointer(name, below: place) }

    /// Returns the JSON pointer to a member of the object at a place.
    static func pointer(_ name: String, below place: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return place + "/" + escaped
    }

    /// Removes and returns a member's value, or returns `nil` if there is no such member.
    mutating func take(_ name: String) -> OrderedJSON? {
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
        return rest.remove(at: index).value
    }

    /// Reads a member that must be a string.
    mutating func text(_ name: String) throws(SchemaError) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else {
            throw SchemaError(place: pointer(name), message: "must be a string")
        }
        return text
    }

    /// Reads a member that must be `true` or `false`.
    mutating func bool(_ name: String) throws(SchemaError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else {
            throw SchemaError(place: pointer(name), message: "must be true or false")
        }
        return flag
    }

    /// Reads a member that must be an integer from 0 to 1,000,000.
    mutating func length(_ name: String) throws(SchemaError) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .integer(let number) = value, (0...1_000_000).contains(number) else {
            throw SchemaError(place: pointer(name), message: "must be a whole number, 0 or greater")
        }
        return Int(number)
    }

    /// Reads a member that must be a number, which can have any size.
    mutating func number(_ name: String) throws(SchemaError) -> JSONValue? {
        guard let value = take(name)?.unordered else { return nil }
        guard value.decimal != nil else {
            throw SchemaError(place: pointer(name), message: "must be a number")
        }
        return value
    }

    /// Reads a member whose value must be the raw value of one of the choices.
    ///
    /// - Throws: ``SchemaError`` with a list of the choices if the value isn't one of them.
    mutating func choice<Choice: RawRepresentable<String>>(
        _ name: String,
        among choices: [Choice]
    ) throws(SchemaError) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = choices.first(where: { $0.rawValue == text }) else {
            let names = choices.map(\.rawValue).joined(separator: ", ")
            throw SchemaError(place: pointer(name), message: "“\(text)” is not one of: \(names)")
        }
        return choice
    }

    /// Reads a member that must be an array of strings.
    ///
    /// Returns an empty array if there is no such member.
    mutating func texts(_ name: String) throws(SchemaError) -> [String] {
        guard let value = take(name) else { return [] }
        let refusal = SchemaError(place: pointer(name), message: "must be a list of strings")
        guard case .array(let values) = value else { throw refusal }
        return try values.map { value throws(SchemaError) in
            guard case .string(let text) = value else { throw refusal }
            return text
        }
    }

    /// Returns a reader for a member that must be an object.
    mutating func object(_ name: String) throws(SchemaError) -> SchemaObject? {
        guard let value = take(name) else { return nil }
        return try SchemaObject(value, at: pointer(name))
    }

    /// Removes and returns all remaining members in order.
    ///
    /// Use this method if the member names are chosen by the author of the schema.
    mutating func all() -> [OrderedJSON.Member] {
        defer { rest = [] }
        return rest
    }

    /// The advice for keywords of JSON Schema that restrict values and that the server doesn't support.
    private static let remedies = [
        "pattern": "check the value in your own service",
        "enum": "check the value in your own service",
        "const": "check the value in your own service",
        "multipleOf": "check the value in your own service",
        "exclusiveMinimum": "use minimum",
        "exclusiveMaximum": "use maximum",
        "$ref": "insert the schema that it refers to",
        "oneOf": "use one identity schema for each variant",
        "anyOf": "use one identity schema for each variant",
        "allOf": "combine the schemas into one",
    ]

    /// Throws a ``SchemaError`` if there is a member that hasn't been read, because the server doesn't
    /// support it.
    ///
    /// Ignoring such a member would accept values that the author of the schema wanted to exclude.
    func finish() throws(SchemaError) {
        guard let first = rest.first else { return }
        let remedy = Self.remedies[first.name].map { "remove it and " + $0 } ?? "remove it"
        throw SchemaError(
            place: pointer(first.name),
            message: "is not supported by this server; \(remedy)"
        )
    }
}
