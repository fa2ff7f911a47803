extension TraitField {
    /// Whether the trait contains the account's region, which is a string named `region` with at most two
    /// characters.
    ///
    /// If the schema allows more than two characters, the trait is treated like any other text.
    package var isRegion: Bool {
        guard name == TraitSchema.regionField, case .string(let rule) = schema.shape else { return false }
        return rule.isRegion
    }
}

extension TraitSchema {
    /// The name of the form field for an account's region.
    package static let regionField = "traits.region"
}

extension TraitSchema.StringRule {
    /// Whether the rule describes a region code: a string with at most two characters and no format.
    package var isRegion: Bool { format == nil && maximumLength == 2 }
}
