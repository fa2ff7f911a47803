package import LatchkeyWire

/// The unparsed value of a setting.
package enum SettingInput: Sendable {
    /// A string from an environment variable or a flag.
    case text(String)
    /// A JSON value from a file.
    case json(JSONValue)

    /// The value as a string; empty for a JSON value that is not a string.
    package var plainText: String {
        switch self {
        case .text(let text): text
        case .json(let value): value.text ?? ""
        }
    }
}

/// The error for a value that a setting does not accept.
package struct SettingMismatch: Error, Sendable {
    /// The error message, which quotes the value unless it is secret.
    package let message: String

    /// Creates an error with a message that completes a sentence beginning with the setting's key, such as
    /// "is not a string".
    package init(_ message: String) {
        self.message = message
    }

    /// Creates an error that quotes the rejected value and describes the accepted values.
    ///
    /// Do not use this initializer for secrets, because the message quotes the value.
    package init(_ input: SettingInput, wanted: String) {
        switch input {
        case .text(let text): message = "\"\(text)\" is not \(wanted)"
        case .json(let value):
            let text = (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
            message = "\(text ?? "this") is not \(wanted)"
        }
    }
}
