/// A version of a document with one of its texts, whose words are at a URL of their own.
package struct TermsVersionBody: DocumentedBody, Hashable {
    package var version: Int
    /// The answer that the version asks for, which is a `TermsVersion.Request` of the server.
    package var asks: String
    package var effectiveAt: String
    package var language: String
    /// The SHA-256 hash of the text, in base64url.
    package var hash: String
    /// The changes since the version before, which may be empty.
    package var summary: String
    /// The page with the text.
    package var url: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case version, asks, language, hash, summary, url
        case effectiveAt = "effective_at"
    }

    package static let schema = JSONSchema.component(
        "TermsVersion",
        summary:
            "A version of a document in one language. `hash` is the SHA-256 hash of the text, in base64url.",
        members: [
            .required(CodingKeys.version, .integer),
            .required(CodingKeys.asks, .oneOf("acceptance", "acknowledgement", "nothing")),
            .required(CodingKeys.effectiveAt, .time), .required(CodingKeys.language, .text),
            .required(CodingKeys.hash, .text), .required(CodingKeys.summary, .text),
            .required(CodingKeys.url, .text),
        ]
    )

    package init(
        version: Int,
        asks: String,
        effectiveAt: String,
        language: String,
        hash: String,
        summary: String,
        url: String
    ) {
        (self.version, self.asks, self.effectiveAt) = (version, asks, effectiveAt)
        (self.language, self.hash, self.summary, self.url) = (language, hash, summary, url)
    }
}
