import LatchkeyCore

/// An app's id, which has been validated.
///
/// The id identifies the app's record in the store.
struct AppID: Sendable {
    /// The character that separates the app's id from the name of a part of the app.
    ///
    /// App ids must not contain the separator.
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
        guard Self.isPlain(text) else {
            throw LatchkeyError(
                .invalidInput,
                message:
                    "The app id must not contain \"#\" or control characters; use an id such as com.example.shop."
            )
        }
        self.text = text
    }

    /// Returns the name of the record for an account slot.
    ///
    /// The name for an additional slot can't conflict with the name for another app or for a part of an app.
    ///
    /// - Parameter slot: The account slot.
    /// - Returns: The name of the record. For the default slot, this is the app's id.
    /// - Throws: ``LatchkeyError/Code/invalidInput`` if the slot's name is empty or contains `#` or a control
    ///   character.
    func record(of slot: AccountSlot) throws(LatchkeyError) -> String {
        guard case .named(let name) = slot else { return text }
        guard !name.isEmpty, Self.isPlain(name) else {
            throw LatchkeyError(
                .invalidInput,
                message:
                    "The name of an account slot must not be empty or contain \"#\" or control characters; use a name such as work."
            )
        }
        // The names of parts don't contain a separator, so this name is unique.
        return record(ofPart: "slot\(Self.separator)\(name)")
    }

    /// Returns whether a name contains neither the separator nor control characters.
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 != separator && $0.properties.generalCategory != .control }
    }

    /// Returns the name of the record for a part of the app that has its own login.
    ///
    /// The name contains `#`, so it is never the same as an app's id.
    func record(ofPart part: String) -> String {
        text + String(Self.separator) + part
    }
}
