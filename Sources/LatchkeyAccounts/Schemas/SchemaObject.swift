import LatchkeyServerKit

/// Reads an object in an identity schema; every member must be consumed before ``finish()`` is called.
struct SchemaObject {
    /// The JSON pointer to the object in the schema, for errors.
    let place: String
    private var rest: [OrderedJSON.Member]

    /// Creates a reader for a value, which must be an object.
    ///
    /// - Parameters:
    ///   - value: The value in the schema.
    ///   - place: The JSON pointer to the value, for errors.
    /// - Throws: ``SchemaError`` if the value is not an object.
    init(_ value: OrderedJSON, at place: String) throws(SchemaError) {
        guard case .object(let members) = value else {
            throw SchemaError(place: place, message: "must be an object")
        }
        self.place = place
        rest = members
    }

    /// Returns the JSON pointer to a member, with the member's name escaped (RFC 6901, section 3).
    func pointer(_ name: String) -> String {
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

    /// Consumes a member, or returns `nil` if it is missing.
    mutating func take(_ name: String) -> OrderedJSON? {
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
        return rest.remove(at: index).value
    }

    /// Consumes a member that must be a string.
    mutating func text(_ name: String) throws(SchemaError) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else {
            throw SchemaError(place: pointer(name), message: "must be a string")
        }
        return text
    }

    /// Consumes a member that must be `true` or `false`.
    mutating func bool(_ name: String) throws(SchemaError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else {
            throw SchemaError(place: pointer(name), message: "must be true or false")
        }
        return flag
    }

    /// Consumes a member that must be an integer from 0 to 1,000,000.
    mutating func length(_ name: String) throws(SchemaError) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .integer(let number) = value, (0...1_000_000).contains(number) else {
            throw SchemaError(place: pointer(name), message: "must be a whole number, 0 or greater")
        }
        return Int(number)
    }

    /// Consumes a member that must be a number.
    ///
    /// Integers are converted to `Double`, which is exact up to 2⁵³.
    mutating func number(_ name: String) throws(SchemaError) -> Double? {
        switch take(name) {
        case nil: return nil
        case .integer(let number): return Double(number)
        case .double(let number): return number
        default: throw SchemaError(place: pointer(name), message: "must be a number")
        }
    }

    /// Consumes a member whose value must be the raw value of one of the choices.
    ///
    /// - Throws: ``SchemaError`` that lists the choices if the value is not one of them.
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

    /// Consumes a member that must be an array of strings, or returns an empty array if it is missing.
    mutating func texts(_ name: String) throws(SchemaError) -> [String] {
        guard let value = take(name) else { return [] }
        let refusal = SchemaError(place: pointer(name), message: "must be a list of strings")
        guard case .array(let values) = value else { throw refusal }
        return try values.map { value throws(SchemaError) in
            guard case .string(let text) = value else { throw refusal }
            return text
        }
    }

    /// Consumes a member that must be an object, and returns a reader for it.
    mutating func object(_ name: String) throws(SchemaError) -> SchemaObject? {
        guard let value = take(name) else { return nil }
        return try SchemaObject(value, at: pointer(name))
    }

    /// Consumes all remaining members in order, for an object whose member names are chosen by the author of
    /// the schema.
    mutating func all() -> [OrderedJSON.Member] {
        defer { rest = [] }
        return rest
    }

    /// Throws a ``SchemaError`` for the first member that was not consumed, because the server does not
    /// support it.
    func finish() throws(SchemaError) {
        guard let first = rest.first else { return }
        throw SchemaError(
            place: pointer(first.name),
            message: "is not supported by this server"
        )
    }
}
