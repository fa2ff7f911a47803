/// A trait that is no object, with the way to it: one field of a form.
package struct TraitField: Sendable {
    /// The names from the traits down.
    package let path: [String]

    /// The name of the form's field, such as `traits.name.first`.
    package let name: String

    package let isRequired: Bool
    package let schema: TraitSchema

    init(path: [String], isRequired: Bool, schema: TraitSchema) {
        self.path = path
        name = "traits." + path.joined(separator: ".")
        self.isRequired = isRequired
        self.schema = schema
    }

    /// The format, where the trait is a string that has one.
    package var format: TraitSchema.Format? {
        if case .string(let rule) = schema.shape { rule.format } else { nil }
    }
}
