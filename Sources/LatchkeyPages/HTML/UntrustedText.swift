import LatchkeyModel

/// A text from another party that a page shows, such as the name of a client, a device or an account.
///
/// The text is a single line of limited length, without control characters and without characters that
/// change the direction of the text around it.
package struct UntrustedText: Hashable, Sendable {
    /// The maximum number of Unicode scalars, after which the text is cut off.
    package static let limit = 80

    package let text: String

    package init(_ text: String) {
        let scalars = text.displayable.unicodeScalars
        self.text =
            scalars.count <= Self.limit
            ? String(scalars) : String(String.UnicodeScalarView(scalars.prefix(Self.limit - 1))) + "…"
    }

    /// The text for places without markup, such as the title of a page.
    ///
    /// Texts outside of ASCII are isolated with Unicode's control characters, as `bdi` does in HTML.
    var isolated: String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : "\u{2068}\(text)\u{2069}"
    }
}
