import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Describes documents to users, in their preferred language.
struct TermsWriter: Sendable {
    let urls: ServerURLs

    /// Returns a document with the version in force, or `nil` if no version is in force yet.
    func document(
        _ document: TermsDocument,
        preferring ranges: LanguageRanges?,
        at now: Timestamp
    ) -> ClientTermsBody.Document? {
        guard let current = document.current(at: now),
            let version = version(current, of: document, preferring: ranges)
        else { return nil }
        return ClientTermsBody.Document(
            key: document.key,
            kind: document.kind.rawValue,
            title: document.title(in: version.language),
            current: version
        )
    }

    /// Returns a document with the versions that matter now, and without an answer.
    func agreement(
        on document: TermsDocument,
        preferring ranges: LanguageRanges?,
        at now: Timestamp
    ) -> AgreementsBody.Document {
        func body(_ version: TermsVersion?) -> TermsVersionBody? {
            version.flatMap { self.version($0, of: document, preferring: ranges) }
        }
        let current = body(document.current(at: now))
        let upcoming = body(document.upcoming(at: now))
        let language = (current ?? upcoming)?.language ?? document.defaultLanguage
        var agreement = AgreementsBody.Document(
            key: document.key,
            kind: document.kind.rawValue,
            title: document.title(in: language),
            isOpen: false
        )
        agreement.required = body(document.required(at: now))
        agreement.current = current
        agreement.upcoming = upcoming
        return agreement
    }

    private func version(
        _ version: TermsVersion,
        of document: TermsDocument,
        preferring ranges: LanguageRanges?
    ) -> TermsVersionBody? {
        guard let text = version.text(accepting: ranges, else: document.defaultLanguage) else { return nil }
        return TermsVersionBody(
            version: version.number,
            asks: (document.question(of: version.number) ?? version).asks.rawValue,
            effectiveAt: version.effectiveAt.description,
            language: text.language,
            hash: Base64URL.encode(text.hash),
            summary: text.summary,
            url: urls.base
                + Route.terms(document.key, version: version.number, language: text.language)
        )
    }
}
