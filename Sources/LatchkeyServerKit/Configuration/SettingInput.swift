package import LatchkeyWire

/// The unparsed value of a setting.
package enum SettingInput: Sendable {
    /// A text from an environment variable or a flag.
    case text(String)
    /// A JSON value from a file.
    case json(JSONValue)

    /// The value as a text; empty for values of a file that are not texts.
    package var plainText: String {
        switch self {
        case .text(let text): text
        case .json(let value): value.text ?? ""
        }
    }
}

/// The error of a value that a setting does not accept.
package struct SettingMismatch: Error, Sendable {
    /// The error message; quotes the value unless it is secret.
    package let message: String

    /// Creates an error with the rest of a sentence that begins with the key of the setting, such as "is not
    /// a string".
    package init(_ message: String) {
        self.message = message
    }

    /// Creates an error that quotes the value and describes the accepted ones.
    ///
    /// Do not use it for secrets, as the message quotes the value.
    package init(_ input: SettingInput, wanted: String) {
        switch input {
        case .text(let text): message = "\"\(text)\" is not \(wanted)"
        case .json(let value):
            let text = (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
            message = "\(text ?? "this") is not \(wanted)"
        }
    }
}
