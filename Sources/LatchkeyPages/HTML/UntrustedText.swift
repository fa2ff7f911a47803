import LatchkeyModel

/// A text from another party that a page shows, such as the name of a client, a device or an account.
///
/// The text is a single line of limited length, without control characters and without characters that
/// change the direction of the text around it.
package struct UntrustedText: Hashable, Sendable {
    /// The maximum number of Unicode scalars in a name, after which it is cut off.
    package static let limit = 80
    /// The maximum number of Unicode scalars in an address, which must stay complete to identify an account.
    package static let addressLimit = 254

    package let text: String

    private init(_ text: String, limit: Int) {
        let scalars = text.displayable.unicodeScalars
        self.text =
            scalars.count <= limit
            ? String(scalars) : String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…"
    }

    /// Creates a name, which is cut off after ``limit``.
    package init(_ name: String) {
        self.init(name, limit: Self.limit)
    }

    /// Creates an address, a host or an identifier, which is cut off after ``addressLimit``.
    package init(address: String) {
        self.init(address, limit: Self.addressLimit)
    }

    /// The text for places without markup, such as the title of a page.
    ///
    /// Texts outside of ASCII are isolated with Unicode's control characters, as `bdi` does in HTML.
    var isolated: String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : "\u{2068}\(text)\u{2069}"
    }
}
