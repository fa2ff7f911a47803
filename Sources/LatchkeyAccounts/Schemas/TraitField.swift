/// A trait that is not an object, with its path; each such trait corresponds to one form field.
package struct TraitField: Sendable {
    /// The names of the properties that lead from the traits object to the trait.
    package let path: [String]

    /// The name of the form field, such as `traits.name.first`.
    package let name: String

    /// Whether the object that contains the trait requires it.
    package let isRequired: Bool
    /// The schema of the trait, whose shape is never an object.
    package let schema: TraitSchema

    /// Creates a field, whose name is the path joined with dots.
    ///
    /// The name is unambiguous, because no part of the path contains a dot.
    init(path: [String], isRequired: Bool, schema: TraitSchema) {
        self.path = path
        name = "traits." + path.joined(separator: ".")
        self.isRequired = isRequired
        self.schema = schema
    }

    /// The format of a string, or `nil` if the trait is not a string or has no format.
    package var format: TraitSchema.Format? {
        if case .string(let rule) = schema.shape { rule.format } else { nil }
    }
}
