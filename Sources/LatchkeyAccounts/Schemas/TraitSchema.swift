package import LatchkeyCourier

/// The schema of a trait, or of an object with traits.
package struct TraitSchema: Sendable {
    /// A property of an object.
    package struct Property: Sendable {
        /// The name of the JSON member, which is not empty and contains no dot.
        package let name: String
        /// Whether the object must have the member.
        package let isRequired: Bool
        /// The schema of the member, which may be an object itself.
        package let schema: TraitSchema
    }

    /// The constraints of a string.
    ///
    /// Lengths are counted in Unicode scalars, and `nil` means no constraint.
    package struct StringRule: Sendable {
        /// The minimum number of Unicode scalars (`minLength`), from 0 to 1,000,000.
        package var minimumLength: Int?
        /// The maximum number of Unicode scalars (`maxLength`), from 0 to 1,000,000.
        package var maximumLength: Int?
        /// The format, which is checked in addition to the lengths.
        package var format: Format?
    }

    /// The inclusive bounds of a number; `nil` means no bound.
    package struct Bounds: Sendable {
        /// The lowest accepted number (`minimum`).
        package var minimum: Double?
        /// The highest accepted number (`maximum`).
        package var maximum: Double?
    }

    /// The supported formats of a string.
    ///
    /// Messages can be sent to values with the formats `email` and `tel`; the format `date` is a full date
    /// (RFC 3339).
    package enum Format: String, Sendable, CaseIterable {
        case email, tel, date
    }

    /// The type of a trait with its constraints.
    ///
    /// The value `takesOthers` is that of `additionalProperties`.
    package indirect enum Shape: Sendable {
        /// An object, with its properties in the order of the schema's text.
        case object([Property], takesOthers: Bool)
        /// A string, which is the only kind of value that can be an identifier or an address.
        case string(StringRule)
        /// A number of any kind, with its bounds.
        case number(Bounds)
        /// A number without a fraction, with its bounds.
        case integer(Bounds)
        /// A Boolean value, `true` or `false`.
        case boolean
    }

    /// The type of the value with its constraints.
    package let shape: Shape
    /// The label of the trait in forms; `nil` if the schema has none.
    package let title: String?

    /// Whether the value of the trait is a login identifier.
    package let isIdentifier: Bool

    /// The channel through which login codes are sent to the value of the trait.
    ///
    /// The channel is `nil` if the trait does not allow login with a code.
    package let codeChannel: Message.Channel?

    /// The channel through which verification codes are sent to the value of the trait.
    ///
    /// The channel is `nil` if the trait is not verifiable.
    package let verification: Message.Channel?

    /// The channel through which recovery codes are sent to the value of the trait.
    ///
    /// The channel is `nil` if the trait is not a recovery address.
    package let recovery: Message.Channel?
}
