package import LatchkeyAccounts
package import LatchkeyWire

/// Messages about individual fields, with Kratos's ids but our own texts.
extension UIMessage {
    /// Returns the error for a required field that is missing or empty.
    ///
    /// `property` is the name of the member in its object, such as `email`. The name appears only in the
    /// message's context.
    package static func missing(_ property: String) -> UIMessage {
        error(.missing, text: .missing, context: ["property": .string(property)])
    }

    /// The error for a document that the user has not accepted.
    package static let documentNotAccepted = error(.missing, text: .documentNotAccepted)

    /// The error for a document of which a new version was published while the user read it.
    package static let documentChanged = error(.wrongFormat, text: .documentChanged)

    /// Returns the error for a string that is too short.
    ///
    /// Both lengths are measured in Unicode scalars.
    package static func tooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .tooShort,
            text: .tooShort,
            context: ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    /// Returns the error for a string that is too long.
    ///
    /// If the limit comes from the schema, both lengths are measured in Unicode scalars. If the limit is
    /// ``LoginIdentifier/byteLimit``, both lengths are measured in UTF-8 bytes.
    package static func tooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .tooLong,
            text: .tooLong,
            context: ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    /// Returns the error for a number that is less than the minimum in the schema.
    package static func tooSmall(_ number: JSONValue, minimum: JSONValue) -> UIMessage {
        error(
            .tooSmall,
            text: .tooSmall,
            context: ["actual": number, "minimum": minimum]
        )
    }

    /// Returns the error for a number that is greater than the maximum in the schema.
    package static func tooLarge(_ number: JSONValue, maximum: JSONValue) -> UIMessage {
        error(
            .tooLarge,
            text: .tooLarge,
            context: ["actual": number, "maximum": maximum]
        )
    }

    /// Returns the error for a value of the wrong type.
    ///
    /// `expected` is the type in JSON Schema.
    package static func wrongType(_ value: JSONValue, expected: String) -> UIMessage {
        error(
            .wrongType,
            text: .wrongType,
            context: ["actual_type": .string(value.typeName), "allowed_types": .array([.string(expected)])]
        )
    }

    /// Returns the error for an invalid e-mail address.
    ///
    /// The context contains the submitted text.
    package static func invalidEmail(_ text: String) -> UIMessage {
        error(.invalidEmail, text: .invalidEmail, context: ["value": .string(text)])
    }

    /// Returns the error for an e-mail address that requires SMTPUTF8.
    ///
    /// The context contains the submitted text. The id is the same as for an invalid address.
    package static func internationalMailbox(_ text: String) -> UIMessage {
        error(.invalidEmail, text: .internationalMailbox, context: ["value": .string(text)])
    }

    /// Returns the error for a phone number that isn't in E.164 format.
    ///
    /// The context contains the submitted text.
    package static func invalidPhone(_ text: String) -> UIMessage {
        error(
            .invalidPhone,
            text: .invalidPhone,
            context: ["value": .string(text)]
        )
    }

    /// The error for a date that isn't in the format `yyyy-mm-dd` (RFC 3339).
    package static let invalidDate = error(
        .wrongFormat,
        text: .invalidDate,
        context: ["pattern": .string("date")]
    )

    /// Returns the error for the birthday of a user who is too young for a client.
    ///
    /// - Parameter minimum: The minimum age in years, which is in the context.
    /// - Returns: The error.
    package static func tooYoung(minimum: Int) -> UIMessage {
        error(.wrongFormat, text: .tooYoung, context: ["minimum_age": .integer(Int64(minimum))])
    }

    /// The error for a birthday without a year (`0000-05-17`) if a client has a minimum age.
    package static let birthdayWithoutYear = error(
        .wrongFormat,
        text: .birthdayWithoutYear,
        context: ["pattern": .string("date")]
    )

    /// The error for a region that isn't the code of a country or territory (ISO 3166-1 alpha-2).
    package static let invalidRegion = error(
        .wrongFormat,
        text: .invalidRegion,
        context: ["pattern": .string("region")]
    )

    /// The error for a region whose numbers don't have the calling code of the account's phone number.
    package static let regionOfOtherPhone = error(
        .wrongFormat,
        text: .regionOfOtherPhone,
        context: ["pattern": .string("region")]
    )

    /// Returns the error for a region that was changed too recently.
    ///
    /// - Parameter days: The number of days until the region can be changed again.
    /// - Returns: The error, whose context contains the number of days.
    package static func regionChangedRecently(days: Int64) -> UIMessage {
        error(.wrongFormat, text: .regionChangedRecently, context: ["days": .integer(days)])
    }

    /// The error for an unverified phone number if the schema requires a verified one.
    package static let phoneNotVerified = error(
        .addressNotVerified,
        text: .phoneNotVerified
    )

    /// The error for logging in to an account without a verified address, as in older versions of Kratos.
    package static let addressNotVerified = error(
        .addressNotVerified,
        text: .addressNotVerified
    )

    /// The error for a phone number that differs from the one verified in the flow.
    package static let otherPhoneVerified = error(
        .addressNotVerified,
        text: .otherPhoneVerified
    )

    /// Creates the error for a rejected password.
    package init(_ refusal: PasswordRefusal) {
        self =
            switch refusal {
            case .tooShort(let length, let minimum): .passwordTooShort(length, minimum: minimum)
            case .tooLong(let length, let maximum): .passwordTooLong(length, maximum: maximum)
            case .common: .passwordCommon
            case .similar: .passwordSimilar
            case .breached: .passwordBreached
            }
    }

    /// Returns the error for a password that is too short.
    ///
    /// Both lengths are measured in Unicode scalars.
    package static func passwordTooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .passwordTooShort,
            text: .passwordTooShort,
            context: ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    /// Returns the error for a password that is too long.
    ///
    /// Both lengths are measured in UTF-8 bytes.
    package static func passwordTooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .passwordTooLong,
            text: .passwordTooLong,
            context: ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    /// The error for a password that appears in a known data breach.
    package static let passwordBreached = error(
        .passwordBreached,
        text: .passwordBreached
    )

    /// The error for a password that is on the list of common passwords.
    package static let passwordCommon = error(
        .passwordPolicy,
        text: .passwordCommon
    )

    /// The error for a password that is similar to one of the account's identifiers.
    package static let passwordSimilar = error(
        .passwordSimilar,
        text: .passwordSimilar
    )
}

extension JSONValue {
    /// The name of the value's type in JSON Schema.
    ///
    /// Integers are reported as `number`.
    fileprivate var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .double, .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
