package import LatchkeyCourier
package import LatchkeyWire

/// The schema of a trait, or of an object that contains traits.
package struct TraitSchema: Sendable {
    /// A property of an object.
    package struct Property: Sendable {
        /// The name of the JSON member.
        ///
        /// The name isn't empty and doesn't contain a dot.
        package let name: String
        /// Whether the object must contain this member.
        package let isRequired: Bool
        /// The member's schema.
        ///
        /// The member may itself be an object.
        package let schema: TraitSchema
    }

    /// The constraints on a string.
    ///
    /// Lengths are counted in Unicode scalars. `nil` means that there is no constraint.
    package struct StringRule: Sendable {
        /// The minimum number of Unicode scalars (`minLength`), from 0 to 1,000,000.
        package var minimumLength: Int?
        /// The maximum number of Unicode scalars (`maxLength`), from 0 to 1,000,000.
        package var maximumLength: Int?
        /// The format that the string must have, in addition to the length constraints.
        package var format: Format?
    }

    /// The inclusive bounds of a number.
    ///
    /// The bounds are numbers. `nil` means that there is no bound.
    package struct Bounds: Sendable {
        /// The lowest number allowed (`minimum`).
        package var minimum: JSONValue?
        /// The highest number allowed (`maximum`).
        package var maximum: JSONValue?
    }

    /// The supported string formats.
    ///
    /// We can send messages to values with the format `email` or `tel`. The format `date` is a full date (RFC
    /// 3339).
    package enum Format: String, Sendable, CaseIterable {
        case email, tel, date
    }

    /// The type of a trait and its constraints.
    ///
    /// `takesOthers` is the value of `additionalProperties`.
    package indirect enum Shape: Sendable {
        /// An object.
        ///
        /// The properties are in the same order as in the schema document.
        case object([Property], takesOthers: Bool)
        /// A string.
        ///
        /// Only strings can be identifiers or addresses.
        case string(StringRule)
        /// A number, which may have a fraction.
        case number(Bounds)
        /// A number without a fraction.
        case integer(Bounds)
        /// A Boolean value, `true` or `false`.
        case boolean
    }

    /// The type of the value and its constraints.
    package let shape: Shape
    /// The trait's label in forms, or `nil` if the schema doesn't define one.
    package let title: String?

    /// Whether the trait is a login identifier.
    package let isIdentifier: Bool

    /// The channel for sending login codes to the address in this trait, or `nil` if it can't be used to log
    /// in with a code.
    package let codeChannel: Message.Channel?

    /// The channel for sending verification codes to the address in this trait, or `nil` if it can't be
    /// verified.
    package let verification: Message.Channel?

    /// The channel for sending recovery codes to the address in this trait, or `nil` if it isn't a recovery
    /// address.
    package let recovery: Message.Channel?

    /// The claim that the trait contains, or `nil` if clients don't get it.
    package let claim: IdentityClaim?
}
