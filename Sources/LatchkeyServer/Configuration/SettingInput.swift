package import LatchkeyWire

/// A setting as somebody wrote it.
package enum SettingInput: Sendable {
    /// From a variable or a flag.
    case text(String)
    /// From a file.
    case json(JSONValue)

    /// The text; empty for other values of a file.
    var plainText: String {
        switch self {
        case .text(let text): text
        case .json(let value): value.text ?? ""
        }
    }
}

/// A setting that is not what its key takes.
package struct SettingMismatch: Error, Sendable {
    /// What it is not; quotes what was written unless that is secret.
    package let message: String

    init(_ message: String) {
        self.message = message
    }

    /// Says what was written and what is wanted.
    init(_ input: SettingInput, wanted: String) {
        switch input {
        case .text(let text): message = "\"\(text)\" is not \(wanted)"
        case .json(let value):
            let text = (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
            message = "\(text ?? "this") is not \(wanted)"
        }
    }
}
