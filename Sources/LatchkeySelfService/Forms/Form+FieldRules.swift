import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension Form {
    /// Adds messages about traits that don't fulfil a client's rules.
    ///
    /// A field that already has a message gets no other.
    ///
    /// - Parameters:
    ///   - traits: The traits, which are valid for the schema.
    ///   - rules: The rules of the client, or `nil` if it has none.
    ///   - allowsMissing: Whether required fields may be missing.
    mutating func check(_ traits: Traits, by rules: FieldRules?, allowsMissing: Bool = false) {
        guard let rules else { return }
        let values = try? JSONParser.parse(traits.json, from: .storage)
        for rule in rules.all {
            let verdict = rules.verdict(of: rule, on: values?.value(of: rule.field))
            if verdict == .missing, allowsMissing || !rule.isRequired { continue }
            refuse(rule.field, for: verdict)
        }
    }

    /// Adds messages about changes that remove a required value, or that replace a value by one that doesn't
    /// fulfil a client's rules.
    ///
    /// Values that don't change are accepted, so that users can change other fields first.
    ///
    /// - Parameters:
    ///   - traits: The new traits, which are valid for the schema.
    ///   - old: The current traits.
    ///   - rules: The rules of the client, or `nil` if it has none.
    ///   - onlyRequired: Whether to ignore the rules for fields that may be missing.
    mutating func check(
        changeTo traits: Traits,
        from old: OrderedJSON?,
        by rules: FieldRules?,
        onlyRequired: Bool = false
    ) {
        guard let rules else { return }
        let new = try? JSONParser.parse(traits.json, from: .storage)
        for rule in rules.all where rule.isRequired || !onlyRequired {
            let (before, after) = (old?.value(of: rule.field), new?.value(of: rule.field))
            guard before != after else { continue }
            // The rule of another client only keeps what is valid.
            if onlyRequired, rules.verdict(of: rule, on: before) != .fulfilled { continue }
            let verdict = rules.verdict(of: rule, on: after)
            if verdict == .missing, !rule.isRequired || rules.verdict(of: rule, on: before) == .missing {
                continue
            }
            refuse(rule.field, for: verdict)
        }
    }

    /// Adds messages about values that don't fulfil a client's rules, but none about missing values.
    mutating func note(_ traits: OrderedJSON?, by rules: FieldRules?) {
        guard let rules else { return }
        for rule in rules.all {
            let verdict = rules.verdict(of: rule, on: traits?.value(of: rule.field))
            if verdict != .missing { refuse(rule.field, for: verdict) }
        }
    }

    private mutating func refuse(_ field: TraitField, for verdict: FieldVerdict) {
        guard !fieldMessages.contains(where: { $0.field == field.name }),
            let message = UIMessage(verdict, of: field)
        else { return }
        refuse(field.name, with: message)
    }
}

extension UIMessage {
    /// Creates the error for a value that doesn't fulfil a client's rule, or returns `nil` if it does.
    init?(_ verdict: FieldVerdict, of field: TraitField) {
        switch verdict {
        case .fulfilled: return nil
        case .missing: self = .missing(field.path.last ?? field.name)
        case .malformed: self = field.format == .date ? .invalidDate : .missing(field.path.last ?? field.name)
        case .tooShort(let length, let minimum): self = .tooShort(length, minimum: minimum)
        case .tooLong(let length, let maximum): self = .tooLong(length, maximum: maximum)
        case .tooYoung(let minimum): self = .tooYoung(minimum: minimum)
        case .withoutYear: self = .birthdayWithoutYear
        }
    }
}

extension OrderedJSON {
    /// Returns the value of a trait, or `nil` if it is missing.
    fileprivate func value(of field: TraitField) -> OrderedJSON? {
        field.path.reduce(self) { value, name in value?[name] }
    }
}
