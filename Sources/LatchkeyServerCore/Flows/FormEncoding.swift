import LatchkeyWire

/// Reads the fields of a form (`application/x-www-form-urlencoded`) into the object that JSON would carry.
enum FormEncoding {
    private static let plain = [
        "method", "csrf_token", "identifier", "password", "code", "resend", "email", "screen",
    ]

    static func decode(_ items: QueryItems, _ schema: IdentitySchema) -> OrderedJSON {
        var members: [OrderedJSON.Member] = plain.compactMap { name in
            items[name].map { OrderedJSON.Member(name: name, value: .string($0)) }
        }
        let traits = object(schema.traits, "traits", items)
        if let traits { members.append(OrderedJSON.Member(name: "traits", value: traits)) }
        return .object(members)
    }

    /// The object of the fields below a name; nothing when none of them was filled in.
    private static func object(_ schema: TraitSchema, _ field: String, _ items: QueryItems) -> OrderedJSON? {
        guard case .object(let properties, _) = schema.shape else {
            return value(of: items[field], by: schema)
        }
        let members = properties.compactMap { property in
            object(property.schema, field + "." + property.name, items).map {
                OrderedJSON.Member(name: property.name, value: $0)
            }
        }
        return members.isEmpty ? nil : .object(members)
    }

    /// The value of a field; an empty one was not filled in.
    static func value(of text: String?, by schema: TraitSchema) -> OrderedJSON? {
        guard let text, !text.isEmpty else { return nil }
        switch schema.shape {
        case .boolean where text == "true" || text == "on": return .bool(true)
        case .boolean where text == "false": return .bool(false)
        case .integer, .number:
            if let integer = Int64(text) { return .integer(integer) }
            if let double = Double(text), double.isFinite { return .double(double) }
        default: break
        }
        return .string(text)
    }
}
