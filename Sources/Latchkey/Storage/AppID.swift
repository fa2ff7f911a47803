import LatchkeyCore

/// The validated id of an app, which identifies its record in the store.
struct AppID: Sendable {
    /// The character that separates the app id from the name of a part of the app; app ids must not contain
    /// it.
    private static let separator: Unicode.Scalar = "#"

    let text: String

    /// Validates an id.
    ///
    /// - Parameter text: The id, such as `com.example.shop`.
    /// - Throws: ``LatchkeyError/Code/invalidInput`` if the text is empty or contains `#` or a control
    ///   character.
    init(_ text: String) throws(LatchkeyError) {
        guard !text.isEmpty else {
            throw LatchkeyError(
                .invalidInput,
                message: "The app id must not be empty; use an id such as com.example.shop."
            )
        }
        let isPlain = text.unicodeScalars.allSatisfy {
            $0 != Self.separator && $0.properties.generalCategory != .control
        }
        guard isPlain else {
            throw LatchkeyError(
                .invalidInput,
                message:
                    "The app id must not contain \"#\" or control characters; use an id such as com.example.shop."
            )
        }
        self.text = text
    }

    /// Returns the record name for a part of the app that has its own login.
    ///
    /// The name contains `#`, so it never equals an app id.
    func record(ofPart part: String) -> String {
        text + String(Self.separator) + part
    }
}
