package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

extension TermsDocument {
    /// Returns the version whose number an answer must reach: the newest one in force that asks for an answer.
    ///
    /// A later version that doesn't ask for anything doesn't reopen the question, and one that isn't in force yet
    /// doesn't open it.
    package func required(at now: Timestamp) -> TermsVersion? {
        versions.last { $0.effectiveAt <= now && $0.asks != .nothing }
    }

    /// Returns the version that is shown: the newest one in force.
    package func current(at now: Timestamp) -> TermsVersion? {
        versions.last { $0.effectiveAt <= now }
    }

    /// Returns the next version that will replace the current one.
    ///
    /// If several versions take effect at the same time, this is the newest of them.
    package func upcoming(at now: Timestamp) -> TermsVersion? {
        let current = current(at: now)?.number ?? 0
        return versions.filter { $0.effectiveAt > now && $0.number > current }
            .min { ($0.effectiveAt, $1.number) < ($1.effectiveAt, $0.number) }
    }

    /// Returns whether the users of a client are asked for the document.
    ///
    /// Without a client, only the operator's documents apply. A client that lists no documents has those of the
    /// operator and its own. A client that lists documents has exactly these.
    ///
    /// - Parameters:
    ///   - client: The client, or `nil` if there is none, or if it is unknown or disabled.
    ///   - keys: The documents that the client lists.
    /// - Returns: Whether the document applies.
    package func applies(to client: String?, listing keys: [String]) -> Bool {
        guard let client else { return clientID == nil }
        guard keys.isEmpty else { return keys.contains(key) }
        return clientID == nil || clientID == client
    }

    /// Returns whether the users of a client are asked for the document.
    package func applies(to client: OAuthClient?) -> Bool {
        applies(to: client?.id, listing: client?.metadata.own.terms ?? [])
    }
}

extension TermsVersion {
    /// Returns the text in the first preferred language that is available, or else in the default language.
    ///
    /// Each language range is shortened from the end until a language matches (RFC 4647, section 3.4).
    package func text(accepting ranges: LanguageRanges?, else language: String) -> TermsText? {
        for range in ranges?.ranges ?? [] where range.utf8.count <= TermsText.longestLanguage {
            var subtags = range.lowercased().split(separator: "-")
            while !subtags.isEmpty {
                if let text = text(in: subtags.joined(separator: "-")) { return text }
                subtags.removeLast()
            }
        }
        return text(in: language) ?? texts.first
    }
}
