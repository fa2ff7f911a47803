package import LatchkeyServerKit

/// A trait that isn't an object.
///
/// Every such trait corresponds to a form field.
package struct TraitField: Sendable {
    /// The property names that lead from the traits object to the trait.
    package let path: [String]

    /// The name of the form field, such as `traits.name.first`.
    package let name: String

    /// Whether the trait is required in the object that contains it.
    package let isRequired: Bool
    /// The trait's schema.
    ///
    /// The schema's shape is never an object.
    package let schema: TraitSchema

    /// Creates a field.
    ///
    /// The field's name consists of `traits` and the path, joined with dots.
    ///
    /// The name is unambiguous because none of the property names contains a dot.
    init(path: [String], isRequired: Bool, schema: TraitSchema) {
        self.path = path
        name = "traits." + path.joined(separator: ".")
        self.isRequired = isRequired
        self.schema = schema
    }

    /// The format of the string, or `nil` if the trait isn't a string or has no format.
    package var format: TraitSchema.Format? {
        if case .string(let rule) = schema.shape { rule.format } else { nil }
    }

    /// Returns the trait's text, or `nil` if it is missing, empty or not a string.
    package func text(in traits: OrderedJSON?) -> String? {
        let value = path.reduce(traits) { value, name in value?[name] }
        guard case .string(let text)? = value, !text.isEmpty else { return nil }
        return text
    }
}
