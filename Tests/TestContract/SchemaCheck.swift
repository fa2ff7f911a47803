import LatchkeyModel
package import LatchkeyServerCore

/// A check of JSON against a schema; undocumented members are violations, too.
package struct SchemaCheck {
    /// The violations, each with its path.
    package private(set) var findings: [String] = []

    /// Checks a value.
    package init(_ value: OrderedJSON, _ schema: JSONSchema) {
        check(value, schema, at: "")
    }

    private mutating func check(_ value: OrderedJSON, _ schema: JSONSchema, at place: String) {
        switch (schema, value) {
        case (.any, _), (.null, .null), (.boolean, .bool): break
        case (.component(let component), _): check(value, component.schema, at: place)
        case (.integer(let minimum, let maximum), .integer(let number)):
            if number < minimum ?? .min || number > maximum ?? .max { note("is out of bounds", place) }
        case (.string(let rule), .string(let text)): check(text, rule, at: place)
        case (.array(let element, let most), .array(let values)):
            if let most, values.count > most { note("has too many elements", place) }
            for (index, value) in values.enumerated() { check(value, element, at: "\(place)/\(index)") }
        case (.object(let properties, let isOpen), .object(let members)):
            check(members, properties, isOpen: isOpen || properties.isEmpty, at: place)
        case (.either(let schemas), _): check(value, either: schemas, at: place)
        default: note("is of another type", place)
        }
    }

    private mutating func check(_ text: String, _ rule: JSONSchema.Text, at place: String) {
        if !rule.values.isEmpty, !rule.values.contains(text) {
            note("“\(text)” is none of the values", place)
        }
        if let longest = rule.longest, text.unicodeScalars.count > longest { note("is too long", place) }
        if let pattern = rule.pattern, let regex = try? Regex(pattern), text.wholeMatch(of: regex) == nil {
            note("has not the form \(pattern)", place)
        }
        switch rule.format {
        case "uuid"? where Identifier(text) == nil: note("is no UUID", place)
        case "date-time"? where Timestamp(rfc3339: text) == nil: note("is no time", place)
        default: break
        }
    }

    private mutating func check(
        _ members: [OrderedJSON.Member],
        _ properties: [JSONSchema.Property],
        isOpen: Bool,
        at place: String
    ) {
        for property in properties {
            if let member = members.first(where: { $0.name == property.name }) {
                check(member.value, property.schema, at: "\(place)/\(property.name)")
            } else if property.isRequired {
                note("lacks \(property.name)", place)
            }
        }
        guard !isOpen else { return }
        for member in members where !properties.contains(where: { $0.name == member.name }) {
            note("has \(member.name), which is not written down", place)
        }
    }

    private mutating func check(_ value: OrderedJSON, either schemas: [JSONSchema], at place: String) {
        let attempts = schemas.map { SchemaCheck(value, $0).findings }
        guard !attempts.contains(where: \.isEmpty) else { return }
        // The findings of the best match.
        let best = attempts.min { $0.count < $1.count } ?? []
        findings += best.map { "\(place)\($0)" }
    }

    private mutating func note(_ finding: String, _ place: String) {
        findings.append("\(place) \(finding)")
    }
}
