import LatchkeyCore

/// A URL scheme that belongs to an app, because it is a domain name in reverse order (RFC 8252, section 7.1).
struct PrivateUseScheme: Hashable, Sendable {
    /// The scheme in lower case.
    let text: String

    /// The type of its URLs in associations.
    var mediaType: String { "x-scheme-handler/" + text }

    /// Checks a scheme.
    ///
    /// An app that takes over `https` or `mailto` would receive other apps' URLs.
    ///
    /// - Throws: `LatchkeyError` with the code `invalidInput` if the scheme has no dot, or isn't one (RFC 3986,
    ///   section 3.1).
    init(_ text: String) throws(LatchkeyError) {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard URLText.isScheme(text), labels.count > 1, labels.allSatisfy({ !$0.isEmpty }) else {
            throw LatchkeyError(
                .invalidInput,
                message: "The scheme must be a domain name in reverse order, such as com.example.shop."
            )
        }
        self.text = text.lowercased()
    }
}
