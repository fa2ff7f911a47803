import LatchkeyModel
package import LatchkeyWire

/// A published document, as operators see it.
package struct PublishedDocumentBody: AnswerBody, DocumentedBody, Hashable {
    /// A version of the document.
    package struct Version: DocumentedBody, Hashable {
        package var number: Int
        package var asks: String
        package var effectiveAt: String
        package var publishedAt: String
        package var texts: [Text]

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case number, asks, texts
            case effectiveAt = "effective_at"
            case publishedAt = "published_at"
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.number, .integer),
            .required(CodingKeys.asks, .oneOf(TermsVersion.Request.allCases)),
            .required(CodingKeys.effectiveAt, .time), .required(CodingKeys.publishedAt, .time),
            .required(CodingKeys.texts, .array(Text.schema)),
        ])
    }

    /// The text of a version in one language.
    package struct Text: DocumentedBody, Hashable {
        package var language: String
        /// The SHA-256 hash of the text, in base64url.
        package var hash: String
        package var summary: String
        package var addedAt: String

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case language, hash, summary
            case addedAt = "added_at"
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.language, .text), .required(CodingKeys.hash, .text),
            .required(CodingKeys.summary, .text), .required(CodingKeys.addedAt, .time),
        ])
    }

    package var key: String
    package var kind: String
    /// The client that the document belongs to, or `nil` for a document of the operator.
    package var clientID: String?
    package var titles: [String: String]
    package var defaultLanguage: String
    package var versions: [Version]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case key, kind, titles, versions
        case clientID = "client_id"
        case defaultLanguage = "default_language"
    }

    package static let schema = JSONSchema.component(
        "PublishedTerms",
        summary: "A published document with its versions, which never change.",
        members: [
            .required(CodingKeys.key, .text),
            .required(CodingKeys.kind, .oneOf(TermsDocument.Kind.allCases)),
            .optional(CodingKeys.clientID, .text), .required(CodingKeys.titles, .anyObject),
            .required(CodingKeys.defaultLanguage, .text),
            .required(CodingKeys.versions, .array(Version.schema)),
        ]
    )

    package init(_ document: TermsDocument) {
        key = document.key
        kind = document.kind.rawValue
        clientID = document.clientID
        titles = document.titles
        defaultLanguage = document.defaultLanguage
        versions = document.versions.map(Version.init)
    }
}

extension PublishedDocumentBody.Version {
    init(_ version: TermsVersion) {
        number = version.number
        asks = version.asks.rawValue
        effectiveAt = version.effectiveAt.description
        publishedAt = version.publishedAt.description
        texts = version.texts.map(PublishedDocumentBody.Text.init)
    }
}

extension PublishedDocumentBody.Text {
    init(_ text: TermsText) {
        language = text.language
        hash = Base64URL.encode(text.hash)
        summary = text.summary
        addedAt = text.addedAt.description
    }
}

/// A version of a document with the words of one of its texts.
package struct PublishedTextBody: AnswerBody, DocumentedBody, Hashable {
    package var document: String
    package var version: Int
    package var language: String
    /// The SHA-256 hash of the text, in base64url.
    package var hash: String
    package var summary: String
    package var text: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case document, version, language, hash, summary, text
    }

    package static let schema = JSONSchema.component(
        "PublishedText",
        summary: "A published text of a document. `hash` is the SHA-256 hash of its bytes, in base64url.",
        members: [
            .required(CodingKeys.document, .text), .required(CodingKeys.version, .integer),
            .required(CodingKeys.language, .text), .required(CodingKeys.hash, .text),
            .required(CodingKeys.summary, .text), .required(CodingKeys.text, .text),
        ]
    )

    package init(
        document: String,
        version: Int,
        language: String,
        hash: String,
        summary: String,
        text: String
    ) {
        (self.document, self.version, self.language) = (document, version, language)
        (self.hash, self.summary, self.text) = (hash, summary, text)
    }
}
