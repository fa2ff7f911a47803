package import LatchkeyAccounts
package import LatchkeyWire

/// Messages about single fields; their ids are those of Kratos, their texts those of this server.
extension UIMessage {
    /// Returns the refusal of a required field that is missing or empty.
    ///
    /// `property` is the name of the member in its object, such as `email`; it is part of the context only.
    package static func missing(_ property: String) -> UIMessage {
        error(.missing, text: .missing, context: ["property": .string(property)])
    }

    /// Returns the refusal of a text that is too short; both lengths are in Unicode scalars.
    package static func tooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .tooShort,
            text: .tooShort,
            context: ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    /// Returns the refusal of a text that is too long.
    ///
    /// Both lengths are in Unicode scalars if the limit is the schema's, in bytes of UTF-8 for
    /// ``LoginIdentifier/byteLimit``.
    package static func tooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .tooLong,
            text: .tooLong,
            context: ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    /// Returns the refusal of a number below the inclusive minimum of the schema.
    package static func tooSmall(_ number: JSONValue, minimum: Double) -> UIMessage {
        error(
            .tooSmall,
            text: .tooSmall,
            context: ["actual": number, "minimum": .double(minimum)]
        )
    }

    /// Returns the refusal of a number above the inclusive maximum of the schema.
    package static func tooLarge(_ number: JSONValue, maximum: Double) -> UIMessage {
        error(
            .tooLarge,
            text: .tooLarge,
            context: ["actual": number, "maximum": .double(maximum)]
        )
    }

    /// Returns the refusal of a value of another type; `expected` is the type in JSON Schema.
    package static func wrongType(_ value: JSONValue, expected: String) -> UIMessage {
        error(
            .wrongType,
            text: .wrongType,
            context: ["actual_type": .string(value.typeName), "allowed_types": .array([.string(expected)])]
        )
    }

    /// Returns the refusal of a text that is no e-mail address; the context quotes it.
    package static func invalidEmail(_ text: String) -> UIMessage {
        error(.invalidEmail, text: .invalidEmail, context: ["value": .string(text)])
    }

    /// Returns the refusal of a text that is no phone number in E.164 format; the context quotes it.
    package static func invalidPhone(_ text: String) -> UIMessage {
        error(
            .invalidPhone,
            text: .invalidPhone,
            context: ["value": .string(text)]
        )
    }

    /// The refusal of a text that is no date in the format `yyyy-mm-dd` (RFC 3339).
    package static let invalidDate = error(
        .wrongFormat,
        text: .invalidDate,
        context: ["pattern": .string("date")]
    )

    /// The refusal of a phone number that was not verified before, although the schema demands it.
    package static let phoneNotVerified = error(
        .addressNotVerified,
        text: .phoneNotVerified
    )

    /// The refusal of a login without a verified address, as in older versions of Kratos.
    package static let addressNotVerified = error(
        .addressNotVerified,
        text: .addressNotVerified
    )

    /// The refusal of a phone number that differs from the one verified in the flow.
    package static let otherPhoneVerified = error(
        .addressNotVerified,
        text: .otherPhoneVerified
    )

    /// Creates the message about a refused password.
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

    /// Returns the refusal of a password that is too short; both lengths are in Unicode scalars.
    package static func passwordTooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .passwordTooShort,
            text: .passwordTooShort,
            context: ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    /// Returns the refusal of a password that is too long; both lengths are in bytes of UTF-8.
    package static func passwordTooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .passwordTooLong,
            text: .passwordTooLong,
            context: ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    /// The refusal of a password on the list of breached ones.
    package static let passwordBreached = error(
        .passwordBreached,
        text: .passwordBreached
    )

    /// The refusal of a password on the list of common ones.
    package static let passwordCommon = error(
        .passwordPolicy,
        text: .passwordCommon
    )

    /// The refusal of a password that resembles an identifier of the account.
    package static let passwordSimilar = error(
        .passwordSimilar,
        text: .passwordSimilar
    )
}

extension JSONValue {
    /// The name of the value's type in JSON Schema; `number` for integers, too.
    fileprivate var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
