import LatchkeyCore

/// The id of an app, which names its record in the store.
struct AppID: Sendable {
    /// Separates the id from the name of a part of the app.
    private static let separator: Unicode.Scalar = "#"

    let text: String

    /// Reads an id.
    ///
    /// - Parameter text: The id, such as `com.example.shop`.
    /// - Throws: ``LatchkeyError/Code/invalidInput`` for an empty text, and for one with `#` or a control character.
    init(_ text: String) throws(LatchkeyError) {
        guard !text.isEmpty else {
            throw LatchkeyError(.invalidInput, "The app needs an id, such as com.example.shop.")
        }
        let isPlain = text.unicodeScalars.allSatisfy {
            $0 != Self.separator && $0.properties.generalCategory != .control
        }
        guard isPlain else {
            throw LatchkeyError(
                .invalidInput,
                "The app's id must not hold \"#\" or control characters; it looks like com.example.shop."
            )
        }
        self.text = text
    }

    /// Returns the name of the record of a part of the app whose login is separate.
    ///
    /// No app id is equal to it.
    func record(ofPart part: String) -> String {
        text + String(Self.separator) + part
    }
}
