extension TraitField {
    /// Whether the trait is the region of the account: a string `region` with at most two characters.
    ///
    /// Longer traits of this name, such as a federal state, are ordinary texts.
    package var isRegion: Bool {
        guard name == TraitSchema.regionField, case .string(let rule) = schema.shape else { return false }
        return rule.isRegion
    }
}

extension TraitSchema {
    /// The name of the form field for the region of an account.
    package static let regionField = "traits.region"
}

extension TraitSchema.StringRule {
    /// Whether the rule of the trait `region` demands the code of a region.
    package var isRegion: Bool { format == nil && maximumLength == 2 }
}
