package import LatchkeyModel

/// The documents, versions and texts that an operator wants to be published.
///
/// A publication may contain what is already published, and leave out what is.
package struct Publication: Hashable, Sendable {
    /// A document.
    package struct Document: Hashable, Sendable {
        package let key: String
        package let kind: TermsDocument.Kind
        /// The client that the document belongs to, or `nil` for a document of the operator.
        package let clientID: String?
        package let titles: [String: String]
        package let defaultLanguage: String
        /// The versions, in the order of their numbers.
        package let versions: [Version]
    }

    /// A version of a document.
    package struct Version: Hashable, Sendable {
        package let number: Int
        package let asks: TermsVersion.Request
        /// When the version takes effect, or `nil` if it does so when it is published.
        package let effectiveAt: Timestamp?
        /// The texts, in the order of their languages.
        package let texts: [Text]
    }

    /// The text of a version in one language.
    package struct Text: Hashable, Sendable {
        package let language: String
        package let bytes: [UInt8]
        package let hash: [UInt8]
        package let summary: String
    }

    package let documents: [Document]
}

/// A mistake in a publication, or something in it that an operator may not have intended.
package struct PublicationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The document, version and language, such as `shop-terms/3/nb`, or an empty string for the whole
    /// publication.
    package let place: String
    /// A part of a sentence, such as `the text is empty`.
    package let reason: String

    package init(at place: String, _ reason: String) {
        (self.place, self.reason) = (place, reason)
    }

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

/// Thrown when a publication has mistakes.
package struct PublicationError: Error, Sendable, CustomStringConvertible {
    /// All mistakes, in the order of the publication.
    package let problems: [PublicationProblem]

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
