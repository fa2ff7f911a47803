import LatchkeyServerKit
import LatchkeyWire

/// A client's rule for a field, with the trait that it applies to.
package struct FieldRule: Sendable {
    package let field: TraitField
    private let rule: OwnClientMembers.RequiredField

    /// Whether the client needs a value.
    package var isRequired: Bool { rule.isRequired }

    /// Applies a rule to a schema, or returns `nil` if the schema lacks the trait, or if no value could
    /// fulfil the rule.
    ///
    /// Such a rule is ignored for accounts with the schema, because their users couldn't do anything about it.
    init?(_ rule: OwnClientMembers.RequiredField, in schema: IdentitySchema) {
        guard let field = rule.field(in: schema), rule.fits(field) else { return nil }
        (self.field, self.rule) = (field, rule)
    }

    /// Returns whether a value fulfils the rule.
    ///
    /// - Parameters:
    ///   - value: The value of the trait, or `nil` if there is none.
    ///   - today: The current date in UTC.
    /// - Returns: The first part of the rule that the value doesn't fulfil.
    func verdict(on value: OrderedJSON?, today: CivilDate) -> FieldVerdict {
        switch (value, field.schema.shape) {
        case (nil, _), (.null, _): return .missing
        case (.string(let text), .string(let shape)):
            guard text.hasVisibleCharacters else { return .missing }
            if shape.format == .date { return verdict(onBirthday: text, today: today) }
            return verdict(onLengthOf: text)
        case (.bool, .boolean): return .fulfilled
        case (let value?, .integer), (let value?, .number):
            return value.unordered.decimal == nil ? .malformed : .fulfilled
        default: return .malformed
        }
    }

    private func verdict(onBirthday text: String, today: CivilDate) -> FieldVerdict {
        guard let birthday = CivilDate(text) else { return .malformed }
        guard let minimum = rule.minimumAge else { return .fulfilled }
        // Year 0 stands for a birthday without a year (OpenID Connect Core, section 5.1).
        guard birthday.year != 0 else { return .withoutYear }
        return birthday.age(on: today) >= minimum ? .fulfilled : .tooYoung(minimum: minimum)
    }

    /// The length doesn't depend on how an accent is encoded: `é` counts as one character in both spellings.
    private func verdict(onLengthOf text: String) -> FieldVerdict {
        guard let bound = rule.maximumLength ?? rule.minimumLength else { return .fulfilled }
        // Four scalars compose to one at most, so a very long text isn't composed in every request of whoami.
        let scalars = text.unicodeScalars.count
        let length = scalars > 4 * (bound + 1) ? scalars : text.composed.unicodeScalars.count
        if let minimum = rule.minimumLength, length < minimum { return .tooShort(length, minimum: minimum) }
        if let maximum = rule.maximumLength, length > maximum { return .tooLong(length, maximum: maximum) }
        return .fulfilled
    }
}

extension OwnClientMembers.RequiredField {
    /// Returns the trait that the rule names, or `nil` if the schema lacks it.
    func field(in schema: IdentitySchema) -> TraitField? {
        schema.fields.first { $0.name.utf8.dropFirst("traits.".utf8.count).elementsEqual(name.utf8) }
    }

    /// Returns whether a value that the schema accepts can fulfil the rule.
    func fits(_ field: TraitField) -> Bool {
        guard case .string(let shape) = field.schema.shape else {
            return minimumAge == nil && minimumLength == nil && maximumLength == nil
        }
        if shape.format == .date { return minimumLength == nil && maximumLength == nil }
        if let minimumLength, let maximum = shape.maximumLength, minimumLength > maximum { return false }
        if let maximumLength, let minimum = shape.minimumLength, maximumLength < minimum { return false }
        return minimumAge == nil
    }
}

extension String {
    /// Whether the text has a character that isn't white space and that fonts show.
    fileprivate var hasVisibleCharacters: Bool {
        unicodeScalars.contains { scalar in
            let properties = scalar.properties
            return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
                && properties.generalCategory != .control && properties.generalCategory != .format
        }
    }
}
