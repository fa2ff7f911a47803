package import LatchkeyModel

/// A document that users are asked to accept or to acknowledge, such as terms of use.
///
/// A document consists of versions that never change once they have been published.
package struct TermsDocument: Hashable, Sendable {
    /// The kind of a document.
    package enum Kind: String, Sendable, CaseIterable {
        /// Terms of use, or another agreement.
        case terms
        /// A privacy notice.
        case privacy
    }

    /// The maximum length of a key.
    package static let longestKey = 64

    /// The name of the document in URLs, in the names of form fields and in the registrations of clients.
    package let key: String
    package let kind: Kind
    /// The client that the document belongs to, or `nil` for a document of the operator.
    package let clientID: String?
    /// The titles, keyed by language.
    package var titles: [String: String]
    /// The language for users none of whose languages is available.
    ///
    /// The document has a title in this language, and each version has a text in it.
    package let defaultLanguage: String
    package let createdAt: Timestamp
    /// The published versions, in the order of their numbers.
    package var versions: [TermsVersion]

    package init(
        key: String,
        kind: Kind,
        clientID: String?,
        titles: [String: String],
        defaultLanguage: String,
        createdAt: Timestamp,
        versions: [TermsVersion] = []
    ) {
        (self.key, self.kind, self.clientID, self.titles) = (key, kind, clientID, titles)
        (self.defaultLanguage, self.createdAt, self.versions) = (defaultLanguage, createdAt, versions)
    }

    /// Returns whether a text can be the key of a document.
    ///
    /// Keys are segments of paths, parts of the names of form fields, and words in stored lists, so they consist
    /// of lowercase letters, digits and hyphens.
    package static func isKey(_ text: String) -> Bool {
        (1...longestKey).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns the published version with a number.
    package func version(_ number: Int) -> TermsVersion? {
        versions.first { $0.number == number }
    }

    /// Returns the title in a language, or else in the default language.
    package func title(in language: String) -> String {
        titles[language] ?? titles[defaultLanguage] ?? key
    }
}
