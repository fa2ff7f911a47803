/// A trait that is not an object, with its path; it corresponds to one form field.
package struct TraitField: Sendable {
    /// The property names from the traits object to the trait.
    package let path: [String]

    /// The name of the form field, such as `traits.name.first`.
    package let name: String

    /// Whether the object that contains the trait requires it.
    package let isRequired: Bool
    /// The schema of the trait, whose shape is never an object.
    package let schema: TraitSchema

    /// Creates a field; its name joins the parts of the path with dots, which is unambiguous because no part
    /// contains a dot.
    init(path: [String], isRequired: Bool, schema: TraitSchema) {
        self.path = path
        name = "traits." + path.joined(separator: ".")
        self.isRequired = isRequired
        self.schema = schema
    }

    /// The format; `nil` if the trait is not a string or has no format.
    package var format: TraitSchema.Format? {
        if case .string(let rule) = schema.shape { rule.format } else { nil }
    }
}
