package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The documents that a flow asks its user to answer, each with the text that it shows.
///
/// The documents are looked up for each request. If a new version takes effect while the user reads, the form shows it
/// and asks again.
package struct FlowTerms: Sendable {
    /// A document and the text that the user reads.
    package struct Item: Sendable {
        package let document: TermsDocument
        package let version: TermsVersion
        package let text: TermsText
        /// The address of the text's page.
        package let url: String
        /// Whether users can't do anything else before they have answered.
        package let isBlocking: Bool

        /// The answer that the version asks for.
        var asks: TermsVersion.Request { document.question(of: version.number)?.asks ?? version.asks }

        /// The name of the field that identifies the text, which is hidden.
        var textField: String { FlowTerms.prefix + document.key + ".text" }
        /// The name of the checkbox.
        var acceptedField: String { FlowTerms.prefix + document.key + ".accepted" }

        /// The version, language and hash of a text, such as `3/nb/bmn…`.
        func reference(to text: TermsText) -> String {
            "\(version.number)/\(text.language)/\(Base64URL.encode(text.hash))"
        }
    }

    /// The beginning of the names of all fields for documents.
    static let prefix = "terms."

    package let items: [Item]

    /// Selects the documents that a user has to answer, or returns `nil` if there are none.
    ///
    /// - Parameters:
    ///   - documents: All published documents.
    ///   - client: The client that the flow leads to, or `nil` if there is none.
    ///   - blocking: The keys of the documents that block users without a client.
    ///   - agreements: The answers of the account, which are empty for a new account.
    ///   - languages: The languages of the request.
    ///   - urls: The addresses of the server.
    ///   - now: The current time.
    package init?(
        _ documents: [TermsDocument],
        for client: OAuthClient?,
        blocking: Set<String>,
        after agreements: Agreements = Agreements(column: nil),
        preferring languages: LanguageRanges?,
        urls: ServerURLs,
        at now: Timestamp
    ) {
        items = documents.compactMap { document in
            guard document.applies(to: client), document.isOpen(for: agreements, at: now),
                let version = document.current(at: now),
                let text = version.text(accepting: languages, else: document.defaultLanguage)
            else { return nil }
            let path = Route.terms(document.key, version: version.number, language: text.language)
            return Item(
                document: document,
                version: version,
                text: text,
                url: urls.base + path,
                isBlocking: client?.metadata.own.blocking.contains(document.key)
                    ?? blocking.contains(document.key)
            )
        }
        if items.isEmpty { return nil }
    }
}

/// An answer that a user has given in a flow, with its document.
package struct FlowAnswer: Sendable {
    package let document: TermsDocument
    package let answer: TermsAnswer
}
