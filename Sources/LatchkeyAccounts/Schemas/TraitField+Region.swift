extension TraitField {
    /// Whether the trait contains the account's region, which is a string named `region` with at most two
    /// characters.
    ///
    /// Longer traits of this name, such as the name of a state, are treated like any other text.
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
    /// Whether a `region` trait with this rule contains a region code.
    package var isRegion: Bool { format == nil && maximumLength == 2 }
}
