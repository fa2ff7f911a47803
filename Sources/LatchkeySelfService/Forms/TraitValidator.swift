package import LatchkeyAccounts
import LatchkeyIDNA
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Validates submitted traits against an identity schema and normalizes them for storage.
///
/// E-mail addresses, phone numbers and regions are normalized, and the members of objects are stored in the
/// order of the schema. Each invalid field gets its own message, so that users can correct all of them at the
/// same time.
package struct TraitValidator {
    private let schema: IdentitySchema
    /// The names of fields that may be missing even if the schema requires them.
    private let optional: Set<String>
    private let mailboxes: MailboxRule
    /// The values to show again, and the messages that have been added so far.
    private var form: Form
    /// The normalized strings, keyed by field name.
    ///
    /// The identity's identifiers and addresses are derived from these strings.
    private var values: [String: JSONValue] = [:]

    /// Validates and normalizes traits.
    ///
    /// - Parameters:
    ///   - submitted: The traits. `nil` and JSON null are treated as an empty object.
    ///   - schema: The schema to validate against.
    ///   - optional: The names of fields that may be missing even if the schema requires them.
    ///   - mailboxes: The e-mail addresses to accept.
    ///   - form: The form to update with the values to show again and the messages about invalid fields.
    /// - Returns: The normalized traits, or `nil` if any field is invalid.
    package static func read(
        _ submitted: OrderedJSON?,
        schema: IdentitySchema,
        optional: Set<String> = [],
        mailboxes: MailboxRule = .any,
        into form: inout Form
    ) -> Traits? {
        var reader = TraitValidator(
            schema: schema,
            optional: optional,
            mailboxes: mailboxes,
            form: form
        )
        let before = form.fieldMessages.count
        let submitted = submitted == .null ? nil : submitted
        let kept = reader.check(submitted ?? .object([]), schema: schema.traits, at: [])
        form = reader.form
        guard let kept, form.fieldMessages.count == before else { return nil }
        var writer = JSONWriter(reserving: 256)
        writer.value(ordered: kept)
        return Traits(json: writer.bytes, values: reader.values, schema: schema)
    }

    private init(schema: IdentitySchema, optional: Set<String>, mailboxes: MailboxRule, form: Form) {
        self.schema = schema
        self.optional = optional
        self.mailboxes = mailboxes
        self.form = form
    }

    /// Returns the name of the field at a path, such as `traits.name.first`.
    private static func field(_ path: [String]) -> String {
        (["traits"] + path).joined(separator: ".")
    }

    /// Validates a value and returns it in normalized form, or `nil` if it is invalid.
    ///
    /// If the value only violates a length limit or a bound, it is still returned, and a message is added to
    /// the form.
    private mutating func check(_ value: OrderedJSON, schema: TraitSchema, at path: [String])
        -> OrderedJSON?
    {
        let field = Self.field(path)
        switch schema.shape {
        case .object(let properties, let takesOthers):
            return object(value, properties: properties, takesOthers: takesOthers, at: path)
        case .string(let rule):
            guard case .string(let text) = value else {
                return refuse(value, field: field, expected: "string")
            }
            guard text.utf8.count <= LoginIdentifier.byteLimit || !schema.isBounded(rule) else {
                form.refuse(field, with: .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
                return nil
            }
            show(value, field: field)
            return string(text, rule: rule, field: field)
        case .boolean:
            guard case .bool = value else { return refuse(value, field: field, expected: "boolean") }
            show(value, field: field)
            return value
        case .integer(let bounds):
            guard let number = value.unordered.decimal, number.isInteger else {
                return refuse(value, field: field, expected: "integer")
            }
            return bounded(number, value: value, bounds: bounds, field: field)
        case .number(let bounds):
            guard let number = value.unordered.decimal else {
                return refuse(value, field: field, expected: "number")
            }
            return bounded(number, value: value, bounds: bounds, field: field)
        }
    }

    /// Validates the members of an object.
    ///
    /// If a member is invalid, it is left out of the result and reported in the form.
    ///
    /// If the schema allows unknown members, they follow the known ones. Otherwise, the first unknown member
    /// is reported.
    private mutating func object(
        _ value: OrderedJSON,
        properties: [TraitSchema.Property],
        takesOthers: Bool,
        at path: [String]
    ) -> OrderedJSON? {
        guard case .object(let members) = value else {
            return refuse(value, field: Self.field(path), expected: "object")
        }
        var kept: [OrderedJSON.Member] = []
        for property in properties {
            let path = path + [property.name]
            if let value = value[property.name] {
                if let value = check(value, schema: property.schema, at: path) {
                    kept.append(OrderedJSON.Member(name: property.name, value: value))
                }
            } else if property.isRequired {
                // If a required object is missing, we validate an empty one, so that the messages are shown
                // next to its fields.
                if case .object = property.schema.shape {
                    if let value = check(.object([]), schema: property.schema, at: path) {
                        kept.append(OrderedJSON.Member(name: property.name, value: value))
                    }
                } else if !optional.contains(Self.field(path)) {
                    form.refuse(Self.field(path), with: .missing(property.name))
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
                ?? "The object contains an unknown field."
            form.refuse(Self.field(path), with: .refusal(reason))
        }
        return .object(kept)
    }

    /// Validates a string.
    ///
    /// E-mail addresses and phone numbers are normalized.
    ///
    /// As in JSON Schema, the length is the number of Unicode scalars in the normalized string.
    private mutating func string(_ text: String, rule: TraitSchema.StringRule, field: String)
        -> OrderedJSON?
    {
        var kept = text
        switch rule.format {
        case .email:
            guard let email = EmailAddress(text), email.withASCIIDomain != nil else {
                form.refuse(field, with: .invalidEmail(text))
                return nil
            }
            guard mailboxes.accepts(email, in: field) else {
                form.refuse(field, with: .internationalMailbox(text))
                return nil
            }
            kept = email.address
        case .tel:
            guard let phone = PhoneNumber(text) else {
                form.refuse(field, with: .invalidPhone(text))
                return nil
            }
            kept = phone.e164
        case .date:
            guard Timestamp(rfc3339: text + "T00:00:00Z") != nil else {
                form.refuse(field, with: .invalidDate)
                return nil
            }
        case nil where field == TraitSchema.regionField && rule.isRegion && text.utf8.count == 2:
            guard let region = Region(ignoringCase: text) else {
                form.refuse(field, with: .invalidRegion)
                return nil
            }
            kept = region.code
        case nil: break
        }
        let length = kept.unicodeScalars.count
        if let minimum = rule.minimumLength, length < minimum {
            form.refuse(field, with: .tooShort(length, minimum: minimum))
        }
        if let maximum = rule.maximumLength, length > maximum {
            form.refuse(field, with: .tooLong(length, maximum: maximum))
        }
        values[field] = .string(kept)
        return .string(kept)
    }

    /// Checks a number against the inclusive bounds in the schema.
    ///
    /// The value itself isn't changed.
    private mutating func bounded(
        _ number: DecimalNumber,
        value: OrderedJSON,
        bounds: TraitSchema.Bounds,
        field: String
    ) -> OrderedJSON? {
        show(value, field: field)
        if let minimum = bounds.minimum, let bound = minimum.decimal, number < bound {
            form.refuse(field, with: .tooSmall(value.unordered, minimum: minimum))
        }
        if let maximum = bounds.maximum, let bound = maximum.decimal, number > bound {
            form.refuse(field, with: .tooLarge(value.unordered, maximum: maximum))
        }
        return value
    }

    /// Adds an error for a value of the wrong type, and returns `nil`.
    private mutating func refuse(_ value: OrderedJSON, field: String, expected: String) -> OrderedJSON? {
        show(value, field: field)
        form.refuse(field, with: .wrongType(value.unordered, expected: expected))
        return nil
    }

    /// Adds a value to the form so that it is shown again, unless no input element can represent it.
    private mutating func show(_ value: OrderedJSON, field: String) {
        switch value {
        case .null, .array, .object: break
        case .bool, .integer, .double, .number, .string: form.values[field] = value.unordered
        }
    }
}

extension TraitSchema {
    /// Whether a string is limited to ``LoginIdentifier/byteLimit`` bytes, because it is an identifier, an
    /// address or a string with a format.
    fileprivate func isBounded(_ rule: StringRule) -> Bool {
        isIdentifier || codeChannel != nil || verification != nil || recovery != nil || rule.format != nil
    }
}
