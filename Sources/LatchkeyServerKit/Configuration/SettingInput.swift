package import LatchkeyWire

/// The value of a setting before it is parsed.
package enum SettingInput: Sendable {
    /// A string from an environment variable or a command-line flag.
    case text(String)
    /// A JSON value from a configuration file.
    case json(JSONValue)

    /// The value as a string.
    ///
    /// If the value is JSON of any other type, the result is an empty string.
    package var plainText: String {
        switch self {
        case .text(let text): text
        case .json(let value): value.text ?? ""
        }
    }
}

/// The error thrown when a setting's value is invalid.
package struct SettingMismatch: Error, Sendable {
    /// The error message.
    ///
    /// The message quotes the value unless the value is secret.
    package let message: String

    /// Creates an error.
    ///
    /// The message must complete a sentence that begins with the setting's key, such as "is not a string".
    package init(_ message: String) {
        self.message = message
    }

    /// Creates an error whose message quotes the rejected value and describes the accepted values.
    ///
    /// Don't use this initializer for secrets because the message includes the value.
    package init(_ input: SettingInput, wanted: String) {
        switch input {
        case .text(let text): message = "\"\(text)\" is not \(wanted)"
        case .json(let value):
            let text = (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
            message = "\(text ?? "this") is not \(wanted)"
        }
    }
}
