package import LatchkeyModel

/// A published version of a document.
package struct TermsVersion: Hashable, Sendable {
    /// The answer that a version asks users for.
    package enum Request: String, Sendable, CaseIterable {
        /// Users accept the version, or refuse it and are logged out.
        case acceptance
        /// Users confirm that they have seen the version.
        case acknowledgement
        /// No answer, because the change is editorial.
        case nothing
    }

    /// The largest number of a version.
    package static let greatestNumber = 1_000_000

    package let number: Int
    package let asks: Request
    /// When the version takes effect, which is never before it was published.
    package let effectiveAt: Timestamp
    package let publishedAt: Timestamp
    /// The texts, in the order of their languages.
    package var texts: [TermsText]

    package init(
        number: Int,
        asks: Request,
        effectiveAt: Timestamp,
        publishedAt: Timestamp,
        texts: [TermsText] = []
    ) {
        (self.number, self.asks, self.effectiveAt) = (number, asks, effectiveAt)
        (self.publishedAt, self.texts) = (publishedAt, texts)
    }

    /// Returns the text in a language.
    package func text(in language: String) -> TermsText? {
        texts.first { $0.language == language }
    }
}

/// The text of a version in one language, without its words.
package struct TermsText: Hashable, Sendable {
    /// A language tag in lowercase, such as `nb` or `pt-br`.
    package let language: String
    /// The SHA-256 hash of the text's bytes.
    package let hash: [UInt8]
    /// The changes since the version before, or an empty string.
    package let summary: String
    package let addedAt: Timestamp

    package init(language: String, hash: [UInt8], summary: String, addedAt: Timestamp) {
        (self.language, self.hash, self.summary, self.addedAt) = (language, hash, summary, addedAt)
    }

    /// The maximum length of a language tag.
    static let longestLanguage = 35

    /// Returns whether a text can be a language tag in lowercase (RFC 5646, without extensions).
    package static func isLanguage(_ text: String) -> Bool {
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = subtags.first, (2...3).contains(first.count), text.utf8.count <= longestLanguage,
            first.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
        else { return false }
        return subtags.allSatisfy { subtag in
            (1...8).contains(subtag.count)
                && subtag.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                }
        }
    }
}
