import LatchkeyModel
import LatchkeyWire

/// Validates submitted traits against an identity schema and normalizes them for storage.
package struct TraitReader {
    private let schema: IdentitySchema
    private let optional: Set<String>
    private var form: Form
    private var values: [String: JSONValue] = [:]

    /// Validates and normalizes traits.
    ///
    /// - Parameters:
    ///   - submitted: The traits; `nil` and JSON null count as an empty object.
    ///   - schema: The schema to validate against.
    ///   - optional: Names of fields that may be missing although the schema requires them.
    ///   - form: Receives the values to show again and the messages about invalid fields.
    /// - Returns: The traits; `nil` if any of them is invalid.
    package static func read(
        _ submitted: OrderedJSON?,
        _ schema: IdentitySchema,
        optional: Set<String> = [],
        into form: inout Form
    ) -> Traits? {
        var reader = TraitReader(schema: schema, optional: optional, form: form)
        let before = form.fieldMessages.count
        let submitted = submitted == .null ? nil : submitted
        let kept = reader.check(submitted ?? .object([]), schema.traits, at: [])
        form = reader.form
        guard let kept, form.fieldMessages.count == before else { return nil }
        var writer = JSONWriter(reserving: 256)
        writer.value(ordered: kept)
        return Traits(json: writer.bytes, values: reader.values, schema: schema)
    }

    private init(schema: IdentitySchema, optional: Set<String>, form: Form) {
        self.schema = schema
        self.optional = optional
        self.form = form
    }

    private static func field(_ path: [String]) -> String {
        (["traits"] + path).joined(separator: ".")
    }

    /// Validates a value and returns its normalized form; `nil` if it is invalid.
    private mutating func check(_ value: OrderedJSON, _ schema: TraitSchema, at path: [String])
        -> OrderedJSON?
    {
        let field = Self.field(path)
        switch schema.shape {
        case .object(let properties, let takesOthers):
            return object(value, properties, takesOthers, at: path)
        case .string(let rule):
            guard case .string(let text) = value else { return refuse(value, field, "string") }
            guard text.utf8.count <= LoginIdentifier.byteLimit || !schema.isBounded(rule) else {
                form.refuse(field, .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
                return nil
            }
            show(value, field)
            return string(text, rule, field)
        case .boolean:
            guard case .bool = value else { return refuse(value, field, "boolean") }
            show(value, field)
            return value
        case .integer(let bounds):
            guard case .integer(let number) = value else { return refuse(value, field, "integer") }
            return bounded(Double(number), value, bounds, field)
        case .number(let bounds):
            switch value {
            case .integer(let number): return bounded(Double(number), value, bounds, field)
            case .double(let number): return bounded(number, value, bounds, field)
            default: return refuse(value, field, "number")
            }
        }
    }

    private mutating func object(
        _ value: OrderedJSON,
        _ properties: [TraitSchema.Property],
        _ takesOthers: Bool,
        at path: [String]
    ) -> OrderedJSON? {
        guard case .object(let members) = value else { return refuse(value, Self.field(path), "object") }
        var kept: [OrderedJSON.Member] = []
        for property in properties {
            let path = path + [property.name]
            if let value = value[property.name] {
                if let value = check(value, property.schema, at: path) {
                    kept.append(OrderedJSON.Member(name: property.name, value: value))
                }
            } else if property.isRequired {
                // A required object that is missing is validated as an empty one, so that the messages appear
                // at its fields.
                if case .object = property.schema.shape {
                    if let value = check(.object([]), property.schema, at: path) {
                        kept.append(OrderedJSON.Member(name: property.name, value: value))
                    }
                } else if !optional.contains(Self.field(path)) {
                    form.refuse(Self.field(path), .missing(property.name))
                }
            }
        }
        let strangers = members.filter { member in
            !properties.contains { $0.name.hasSameBytes(as: member.name) }
        }
        if takesOthers {
            kept += strangers
        } else if let stranger = strangers.first {
            let reason =
                PlainName(stranger.name).map { "“\($0)” is not a known field." }
                ?? "A member is not a known field."
            form.refuse(Self.field(path), .refusal(reason))
        }
        return .object(kept)
    }

    private mutating func string(_ text: String, _ rule: TraitSchema.StringRule, _ field: String)
        -> OrderedJSON?
    {
        var kept = text
        switch rule.format {
        case .email:
            guard let email = EmailAddress(text) else {
                form.refuse(field, .invalidEmail(text))
                return nil
            }
            kept = email.address
        case .tel:
            guard let phone = PhoneNumber(text) else {
                form.refuse(field, .invalidPhone(text))
                return nil
            }
            kept = phone.e164
        case .date:
            guard Timestamp(rfc3339: text + "T00:00:00Z") != nil else {
                form.refuse(field, .invalidDate)
                return nil
            }
        case nil: break
        }
        let length = kept.unicodeScalars.count
        if let minimum = rule.minimumLength, length < minimum {
            form.refuse(field, .tooShort(length, minimum: minimum))
        }
        if let maximum = rule.maximumLength, length > maximum {
            form.refuse(field, .tooLong(length, maximum: maximum))
        }
        values[field] = .string(kept)
        return .string(kept)
    }

    private mutating func bounded(
        _ number: Double,
        _ value: OrderedJSON,
        _ bounds: TraitSchema.Bounds,
        _ field: String
    ) -> OrderedJSON? {
        show(value, field)
        if let minimum = bounds.minimum, number < minimum {
            form.refuse(field, .tooSmall(value.unordered, minimum: minimum))
        }
        if let maximum = bounds.maximum, number > maximum {
            form.refuse(field, .tooLarge(value.unordered, maximum: maximum))
        }
        return value
    }

    private mutating func refuse(_ value: OrderedJSON, _ field: String, _ expected: String) -> OrderedJSON? {
        show(value, field)
        form.refuse(field, .wrongType(value.unordered, expected: expected))
        return nil
    }

    /// Stores a value in the form to be shown again, unless no input element can represent it.
    private mutating func show(_ value: OrderedJSON, _ field: String) {
        switch value {
        case .null, .array, .object: break
        case .bool, .integer, .double, .string: form.values[field] = value.unordered
        }
    }
}

extension TraitSchema {
    /// Whether a text of this schema is limited to ``LoginIdentifier/byteLimit`` bytes, as identifiers,
    /// addresses and texts with a format are.
    fileprivate func isBounded(_ rule: StringRule) -> Bool {
        isIdentifier || codeChannel != nil || verification != nil || recovery != nil || rule.format != nil
    }
}
