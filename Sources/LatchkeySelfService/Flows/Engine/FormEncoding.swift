import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// Decodes a form body (`application/x-www-form-urlencoded`) into the object that a JSON body would contain.
enum FormEncoding {
    /// Decodes the fields of a form.
    ///
    /// Fields that are neither traits in the schema nor fields for documents nor listed in `fields` are ignored.
    ///
    /// The field for a trait is named after its path, such as `traits.name.first`. If a name occurs more than
    /// once, the first value is used. If all traits are missing or empty, the result has no `traits` member.
    static func decode(_ items: QueryItems, by schema: IdentitySchema, fields: [String]) -> OrderedJSON {
        var members: [OrderedJSON.Member] = fields.compactMap { name in
            items[name].map { OrderedJSON.Member(name: name, value: .string($0)) }
        }
        for name in Set(items.names).sorted() where name.hasPrefix(FlowTerms.prefix) {
            if let value = items[name] {
                members.append(OrderedJSON.Member(name: name, value: .string(value)))
            }
        }
        let traits = object(by: schema.traits, named: "traits", in: items)
        if let traits { members.append(OrderedJSON.Member(name: "traits", value: traits)) }
        return .object(members)
    }

    /// Returns the value of a field, or an object with the fields nested below it, or `nil` if all of them
    /// are missing or empty.
    private static func object(by schema: TraitSchema, named field: String, in items: QueryItems)
        -> OrderedJSON?
    {
        guard case .object(let properties, _) = schema.shape else {
            return value(of: items[field], by: schema)
        }
        let members = properties.compactMap { property in
            object(by: property.schema, named: field + "." + property.name, in: items).map {
                OrderedJSON.Member(name: property.name, value: $0)
            }
        }
        return members.isEmpty ? nil : .object(members)
    }

    /// Converts the value of a field to the type given by its schema.
    ///
    /// Returns `nil` if the field is missing or empty.
    ///
    /// Numbers must be written as in JSON. If a value cannot be converted, it stays a string, which is
    /// rejected later when the traits are validated.
    static func value(of text: String?, by schema: TraitSchema) -> OrderedJSON? {
        guard let text, !text.isEmpty else { return nil }
        switch schema.shape {
        case .boolean where text == "true" || text == "on": return .bool(true)
        case .boolean where text == "false": return .bool(false)
        case .integer, .number: return number(text) ?? .string(text)
        default: return .string(text)
        }
    }

    /// Parses a JSON number.
    ///
    /// Returns `nil` for any other text, including a number surrounded by white space.
    private static func number(_ text: String) -> OrderedJSON? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard
            let first = text.utf8.first, first == UInt8(ascii: "-") || digits.contains(first),
            let last = text.utf8.last, digits.contains(last)
        else { return nil }
        return try? JSONParser.parse(Array(text.utf8))
    }
}
