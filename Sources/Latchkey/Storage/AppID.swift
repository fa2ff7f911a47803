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
        guard Self.isPlain(text) else {
            throw LatchkeyError(
                .invalidInput,
                message:
                    "The app id must not contain \"#\" or control characters; use an id such as com.example.shop."
            )
        }
        self.text = text
    }

    /// Returns the record name for an account slot.
    ///
    /// The names of additional slots never equal those of other app ids or of the parts of an app.
    ///
    /// - Parameter slot: The slot.
    /// - Returns: The record name; the app id itself for the default slot.
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
        // The names of parts contain no separator.
        return record(ofPart: "slot\(Self.separator)\(name)")
    }

    /// Returns whether a name contains neither the separator nor control characters.
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 != separator && $0.properties.generalCategory != .control }
    }

    /// Returns the record name for a part of the app that has its own login.
    ///
    /// The name contains `#`, so it never equals an app id.
    func record(ofPart part: String) -> String {
        text + String(Self.separator) + part
    }
}
