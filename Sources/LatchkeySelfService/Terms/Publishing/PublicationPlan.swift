import LatchkeyModel
import LatchkeyWire

/// The changes that a publication makes to what is published.
///
/// The plan is computed without a database, from facts that the transaction of the publication has read.
struct PublicationPlan: Hashable, Sendable {
    /// The facts that are known when a plan is made.
    struct Facts: Sendable {
        /// The published documents.
        var published: [TermsDocument] = []
        /// The documents that each registered client lists.
        var clients: [String: [String]] = [:]
        /// The words of the newest published texts of each document, keyed by language.
        var texts: [String: [String: [UInt8]]] = [:]
        let now: Timestamp
    }

    /// A single change.
    enum Change: Hashable, Sendable {
        case documentAdded(Publication.Document)
        /// The document's titles after the change.
        case titlesChanged(key: String, titles: [String: String])
        /// A new version, which takes effect at the given time.
        case versionAdded(key: String, version: Publication.Version, effectiveAt: Timestamp)
        /// A new translation of a published version, which asks no user again.
        case textAdded(key: String, version: Int, text: Publication.Text)
    }

    /// The changes, in the order in which they have to be stored.
    private(set) var changes: [Change] = []
    /// The differences from what is published and can't be changed anymore.
    private(set) var conflicts: [PublicationProblem] = []
    /// The values that aren't possible at this time.
    private(set) var mistakes: [PublicationProblem] = []
    /// The changes that are possible but may not have been intended.
    private(set) var warnings: [PublicationProblem] = []

    init(_ publication: Publication, facts: Facts) {
        for document in publication.documents {
            let published = facts.published.first { $0.key == document.key }
            if let published {
                compare(document, with: published)
            } else {
                changes.append(.documentAdded(document))
            }
            warn(about: document, facts: facts)
            for version in document.versions {
                add(version, of: document, published: published, facts: facts)
            }
        }
        let keys = Set(publication.documents.map(\.key)).union(facts.published.map(\.key))
        for (client, listed) in facts.clients.sorted(by: { $0.key < $1.key }) {
            for key in listed where !keys.contains(key) {
                let name = PublicationProblem.quoted(key)
                warn("", "the client \(client) lists the document \(name), which isn't published")
            }
        }
    }

    private mutating func conflict(_ place: String, _ reason: String) {
        conflicts.append(PublicationProblem(at: place, reason))
    }

    private mutating func warn(_ place: String, _ reason: String) {
        warnings.append(PublicationProblem(at: place, reason))
    }

    private mutating func compare(_ document: Publication.Document, with published: TermsDocument) {
        let key = document.key
        if document.kind != published.kind {
            conflict(key, "kind was published as \(published.kind.rawValue)")
        }
        if document.clientID != published.clientID {
            conflict(key, "client_id was published as \(published.clientID ?? "null")")
        }
        if document.defaultLanguage != published.defaultLanguage {
            conflict(key, "default_language was published as \(published.defaultLanguage)")
        }
        // A publication without a title doesn't remove it.
        let titles = published.titles.merging(document.titles) { _, new in new }
        let isSame = titles.allSatisfy { language, title in
            published.titles[language]?.hasSameBytes(as: title) == true
        }
        if !isSame { changes.append(.titlesChanged(key: key, titles: titles)) }
    }

    private mutating func add(
        _ version: Publication.Version,
        of document: Publication.Document,
        published: TermsDocument?,
        facts: Facts
    ) {
        let place = "\(document.key)/\(version.number)"
        if let stored = published?.version(version.number) {
            compare(version, with: stored, of: document.key, at: place)
            return
        }
        if let newest = published?.versions.last?.number, newest > version.number {
            conflict(place, "version \(newest) is already published, and a new version needs a larger number")
            return
        }
        if let time = version.effectiveAt, time < facts.now {
            mistakes.append(
                PublicationProblem(
                    at: place,
                    "effective_at is in the past; without it, the version takes effect when it is published"
                )
            )
            return
        }
        changes.append(
            .versionAdded(
                key: document.key,
                version: version,
                effectiveAt: version.effectiveAt ?? facts.now
            )
        )
        warn(about: version, of: document, published: published, facts: facts)
    }

    private mutating func compare(
        _ version: Publication.Version,
        with stored: TermsVersion,
        of key: String,
        at place: String
    ) {
        if version.asks != stored.asks { conflict(place, "asks was published as \(stored.asks.rawValue)") }
        if let time = version.effectiveAt, time != stored.effectiveAt {
            conflict(place, "effective_at was published as \(stored.effectiveAt)")
        }
        for text in version.texts {
            guard let published = stored.text(in: text.language) else {
                changes.append(.textAdded(key: key, version: version.number, text: text))
                continue
            }
            let place = "\(place)/\(text.language)"
            if published.hash != text.hash { conflict(place, "another text was published") }
            if !published.summary.hasSameBytes(as: text.summary) {
                conflict(place, "another summary was published")
            }
        }
    }

    // MARK: Warnings

    private mutating func warn(about document: Publication.Document, facts: Facts) {
        let languages = Set(document.versions.last?.texts.map(\.language) ?? [])
        for language in languages.subtracting(document.titles.keys).sorted() {
            warn(document.key, "there is a text in \(language), but no title")
        }
        guard let client = document.clientID else { return }
        guard let listed = facts.clients[client] else {
            warn(document.key, "the client \(client) isn't registered")
            return
        }
        if !listed.isEmpty, !listed.contains(document.key) {
            warn(document.key, "the client \(client) lists other documents, so its users aren't asked")
        }
    }

    private mutating func warn(
        about version: Publication.Version,
        of document: Publication.Document,
        published: TermsDocument?,
        facts: Facts
    ) {
        let place = "\(document.key)/\(version.number)"
        // The version before is either part of the publication or already published.
        let earlier = document.versions.last { $0.number < version.number }
        let stored = published?.versions.last { $0.number < version.number }
        guard earlier != nil || stored != nil else { return }
        let isStored = (stored?.number ?? 0) > (earlier?.number ?? 0)
        let languages =
            isStored ? stored?.texts.map(\.language) ?? [] : earlier?.texts.map(\.language) ?? []
        for language in languages where !version.texts.contains(where: { $0.language == language }) {
            warn(place, "there is no text in \(language), in contrast to the version before")
        }
        for text in version.texts {
            let place = "\(place)/\(text.language)"
            if version.asks != .nothing {
                if text.summary.isEmpty { warn(place, "there is no summary of the changes") }
                continue
            }
            let words =
                earlier.flatMap { earlier in
                    (stored?.number ?? 0) > earlier.number
                        ? nil : earlier.texts.first { $0.language == text.language }?.bytes
                } ?? facts.texts[document.key]?[text.language]
            guard let words else { continue }
            let share = WordChange.share(from: words, to: text.bytes)
            guard share > WordChange.editorialLimit else { continue }
            let percent = Int((share * 100).rounded())
            warn(place, "about \(percent) % of the words change, but the version asks for nothing")
        }
    }
}

extension PublicationProblem {
    /// Quotes a text that isn't known to be harmless.
    static func quoted(_ text: String) -> String {
        TermsDocument.isKey(text) ? text : "“\(text.displayable)”"
    }
}
