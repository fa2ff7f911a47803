/// An object within an identity schema while it is read: it must be used up, member by member.
struct SchemaObject {
    let place: String
    private var rest: [OrderedJSON.Member]

    init(_ value: OrderedJSON, at place: String) throws(SchemaError) {
        guard case .object(let members) = value else {
            throw SchemaError(place: place, message: "must be an object")
        }
        self.place = place
        rest = members
    }

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

    mutating func take(_ name: String) -> OrderedJSON? {
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
        return rest.remove(at: index).value
    }

    mutating func text(_ name: String) throws(SchemaError) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else {
            throw SchemaError(place: pointer(name), message: "must be a string")
        }
        return text
    }

    mutating func bool(_ name: String) throws(SchemaError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else {
            throw SchemaError(place: pointer(name), message: "must be true or false")
        }
        return flag
    }

    mutating func length(_ name: String) throws(SchemaError) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .integer(let number) = value, (0...1_000_000).contains(number) else {
            throw SchemaError(place: pointer(name), message: "must be a whole number from 0 on")
        }
        return Int(number)
    }

    mutating func number(_ name: String) throws(SchemaError) -> Double? {
        switch take(name) {
        case nil: return nil
        case .integer(let number): return Double(number)
        case .double(let number): return number
        default: throw SchemaError(place: pointer(name), message: "must be a number")
        }
    }

    mutating func choice<Choice: RawRepresentable<String>>(
        _ name: String,
        _ choices: [Choice]
    ) throws(SchemaError) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = choices.first(where: { $0.rawValue == text }) else {
            let names = choices.map(\.rawValue).joined(separator: ", ")
            throw SchemaError(place: pointer(name), message: "“\(text)” is not one of: \(names)")
        }
        return choice
    }

    mutating func texts(_ name: String) throws(SchemaError) -> [String] {
        guard let value = take(name) else { return [] }
        let refusal = SchemaError(place: pointer(name), message: "must be a list of strings")
        guard case .array(let values) = value else { throw refusal }
        return try values.map { value throws(SchemaError) in
            guard case .string(let text) = value else { throw refusal }
            return text
        }
    }

    mutating func object(_ name: String) throws(SchemaError) -> SchemaObject? {
        guard let value = take(name) else { return nil }
        return try SchemaObject(value, at: pointer(name))
    }

    /// The members in order, for an object whose names are the schema's own.
    mutating func all() -> [OrderedJSON.Member] {
        defer { rest = [] }
        return rest
    }

    /// Refuses what nobody took.
    func finish() throws(SchemaError) {
        guard let first = rest.first else { return }
        throw SchemaError(
            place: pointer(first.name),
            message: "is not known to this server, which would not do what it says"
        )
    }
}
