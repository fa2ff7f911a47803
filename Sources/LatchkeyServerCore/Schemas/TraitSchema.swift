/// What an identity schema says about one trait, or about an object of traits.
package struct TraitSchema: Sendable {
    /// A member of an object.
    package struct Property: Sendable {
        package let name: String
        package let isRequired: Bool
        package let schema: TraitSchema
    }

    /// The rules of a string.
    package struct StringRule: Sendable {
        package var minimumLength: Int?
        package var maximumLength: Int?
        package var format: Format?
    }

    /// The bounds of a number.
    package struct Bounds: Sendable {
        package var minimum: Double?
        package var maximum: Double?
    }

    /// The formats of a string.
    package enum Format: String, Sendable, CaseIterable {
        case email, tel, date
    }

    package indirect enum Shape: Sendable {
        case object([Property], takesOthers: Bool)
        case string(StringRule)
        case number(Bounds)
        case integer(Bounds)
        case boolean
    }

    /// How a message reaches an address.
    package enum Channel: String, Sendable, CaseIterable {
        case email, sms
    }

    package let shape: Shape
    package let title: String?

    /// Whether the trait's value is what people log in with.
    package let isIdentifier: Bool

    /// How a code to log in with reaches the trait's value; nothing where codes do not log in.
    package let codeChannel: Channel?

    /// How the trait's value can be verified.
    package let verification: Channel?

    /// How the trait's value helps to get back into the account.
    package let recovery: Channel?
}
