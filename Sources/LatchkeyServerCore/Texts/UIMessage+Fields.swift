package import LatchkeyWire

extension UIMessage {
    /// What is wrong with one field; the numbers are Kratos's, the words are ours.
    package static func missing(_ property: String) -> UIMessage {
        error(.missing, .missing, ["property": .string(property)])
    }

    package static func tooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .tooShort,
            .tooShort,
            ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    package static func tooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .tooLong,
            .tooLong,
            ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    package static func tooSmall(_ number: JSONValue, minimum: Double) -> UIMessage {
        error(
            .tooSmall,
            .tooSmall,
            ["actual": number, "minimum": .double(minimum)]
        )
    }

    package static func tooLarge(_ number: JSONValue, maximum: Double) -> UIMessage {
        error(
            .tooLarge,
            .tooLarge,
            ["actual": number, "maximum": .double(maximum)]
        )
    }

    package static func wrongType(_ value: JSONValue, expected: String) -> UIMessage {
        error(
            .wrongType,
            .wrongType,
            ["actual_type": .string(value.typeName), "allowed_types": .array([.string(expected)])]
        )
    }

    package static func invalidEmail(_ text: String) -> UIMessage {
        error(.invalidEmail, .invalidEmail, ["value": .string(text)])
    }

    package static func invalidPhone(_ text: String) -> UIMessage {
        error(
            .invalidPhone,
            .invalidPhone,
            ["value": .string(text)]
        )
    }

    package static let invalidDate = error(
        .wrongFormat,
        .invalidDate,
        ["pattern": .string("date")]
    )

    package static let phoneNotVerified = error(
        .addressNotVerified,
        .phoneNotVerified
    )

    /// The refusal of a login; the one of Kratos's older versions.
    package static let addressNotVerified = error(
        .addressNotVerified,
        .addressNotVerified
    )

    package static let otherPhoneVerified = error(
        .addressNotVerified,
        .otherPhoneVerified
    )

    package static func passwordTooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .passwordTooShort,
            .passwordTooShort,
            ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    package static func passwordTooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .passwordTooLong,
            .passwordTooLong,
            ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    package static let passwordBreached = error(
        .passwordBreached,
        .passwordBreached
    )

    package static let passwordCommon = error(
        .passwordPolicy,
        .passwordCommon
    )

    package static let passwordSimilar = error(
        .passwordSimilar,
        .passwordSimilar
    )
}

extension JSONValue {
    /// The name of the value's type, as JSON Schema has it.
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
