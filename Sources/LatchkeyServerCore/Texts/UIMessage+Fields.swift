package import LatchkeyWire

extension UIMessage {
    /// What is wrong with one field; the numbers are Kratos's, the words are ours.
    package static func missing(_ property: String) -> UIMessage {
        error(.missing, "Please fill in this field.", ["property": .string(property)])
    }

    package static func tooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .tooShort,
            "This is too short: at least \(minimum), not \(length).",
            ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    package static func tooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .tooLong,
            "This is too long: at most \(maximum), not \(length).",
            ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    package static func tooSmall(_ number: JSONValue, minimum: Double) -> UIMessage {
        error(
            .tooSmall,
            "This is too small.",
            ["actual": number, "minimum": .double(minimum)]
        )
    }

    package static func tooLarge(_ number: JSONValue, maximum: Double) -> UIMessage {
        error(
            .tooLarge,
            "This is too large.",
            ["actual": number, "maximum": .double(maximum)]
        )
    }

    package static func wrongType(_ value: JSONValue, expected: String) -> UIMessage {
        error(
            .wrongType,
            "This has the wrong type: \(expected) is expected.",
            ["actual_type": .string(value.typeName), "allowed_types": .array([.string(expected)])]
        )
    }

    package static func invalidEmail(_ text: String) -> UIMessage {
        error(.invalidEmail, "This is no e-mail address.", ["value": .string(text)])
    }

    package static func invalidPhone(_ text: String) -> UIMessage {
        error(
            .invalidPhone,
            "This is no phone number: it begins with + and the country's code.",
            ["value": .string(text)]
        )
    }

    package static let invalidDate = error(
        .wrongFormat,
        "This is no date: year-month-day is expected.",
        ["pattern": .string("date")]
    )

    package static let phoneNotVerified = error(
        .addressNotVerified,
        "This phone number has not been verified yet."
    )

    /// The refusal of a login; the one of Kratos's older versions.
    package static let addressNotVerified = error(
        .addressNotVerified,
        "Verify your e-mail address or phone number first."
    )

    package static let otherPhoneVerified = error(
        .addressNotVerified,
        "Another phone number than this one was verified."
    )

    package static func passwordTooShort(_ length: Int, minimum: Int) -> UIMessage {
        error(
            .passwordTooShort,
            "The password is too short: it needs \(minimum) characters or more.",
            ["actual_length": .integer(Int64(length)), "min_length": .integer(Int64(minimum))]
        )
    }

    package static func passwordTooLong(_ length: Int, maximum: Int) -> UIMessage {
        error(
            .passwordTooLong,
            "The password is too long: it may have \(maximum) bytes.",
            ["actual_length": .integer(Int64(length)), "max_length": .integer(Int64(maximum))]
        )
    }

    package static let passwordBreached = error(
        .passwordBreached,
        "This password is known from break-ins elsewhere; choose one that nobody else has."
    )

    package static let passwordSimilar = error(
        .passwordSimilar,
        "The password is too much like what you sign in with."
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
