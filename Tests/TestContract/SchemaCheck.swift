import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Checks JSON against a schema.
///
/// Undocumented members also count as violations.
package struct SchemaCheck {
    /// The violations that were found, along with their paths.
    package private(set) var findings: [String] = []

    /// Checks a value against a schema.
    package init(_ value: OrderedJSON, _ schema: JSONSchema) {
        check(value, schema, at: "")
    }

    private mutating func check(_ value: OrderedJSON, _ schema: JSONSchema, at path: String) {
        switch (schema, value) {
        case (.any, _), (.null, .null), (.boolean, .bool): break
        case (.component(let component), _): check(value, component.schema, at: path)
        case (.integer(let minimum, let maximum), .integer(let number)):
            if number < minimum ?? .min || number > maximum ?? .max { report("is out of bounds", at: path) }
        case (.string(let rule), .string(let text)): check(text, rule, at: path)
        case (.array(let element, let most), .array(let values)):
            if let most, values.count > most { report("has too many elements", at: path) }
            for (index, value) in values.enumerated() { check(value, element, at: "\(path)/\(index)") }
        case (.object(let properties, let isOpen), .object(let members)):
            check(members, properties, isOpen: isOpen || properties.isEmpty, at: path)
        case (.either(let schemas), _): check(value, either: schemas, at: path)
        default: report("has a different type", at: path)
        }
    }

    private mutating func check(_ text: String, _ rule: JSONSchema.Text, at path: String) {
        if !rule.values.isEmpty, !rule.values.contains(text) {
            report("“\(text)” is not an allowed value", at: path)
        }
        if let longest = rule.longest, text.unicodeScalars.count > longest { report("is too long", at: path) }
        if let pattern = rule.pattern, let regex = try? Regex(pattern), text.wholeMatch(of: regex) == nil {
            report("does not match \(pattern)", at: path)
        }
        switch rule.format {
        case "uuid"? where Identifier(text) == nil: report("is no UUID", at: path)
        case "date-time"? where Timestamp(rfc3339: text) == nil: report("is not a time", at: path)
        default: break
        }
    }

    private mutating func check(
        _ members: [OrderedJSON.Member],
        _ properties: [JSONSchema.Property],
        isOpen: Bool,
        at path: String
    ) {
        for property in properties {
            if let member = members.first(where: { $0.name == property.name }) {
                check(member.value, property.schema, at: "\(path)/\(property.name)")
            } else if property.isRequired {
                report("has no member \(property.name)", at: path)
            }
        }
        guard !isOpen else { return }
        for member in members where !properties.contains(where: { $0.name == member.name }) {
            report("has \(member.name), which is not documented", at: path)
        }
    }

    private mutating func check(_ value: OrderedJSON, either schemas: [JSONSchema], at path: String) {
        let attempts = schemas.map { SchemaCheck(value, $0).findings }
        guard !attempts.contains(where: \.isEmpty) else { return }
        // If no schema matches, report only the findings for the closest schema.
        let best = attempts.min { $0.count < $1.count } ?? []
        findings += best.map { "\(path)\($0)" }
    }

    private mutating func report(_ finding: String, at path: String) {
        findings.append("\(path) \(finding)")
    }
}
