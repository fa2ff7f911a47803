import LatchkeyModel
import LatchkeyServerKit
import Testing

@testable import LatchkeySelfService

@Suite struct `Plans of publications` {
    private typealias JSON = `Publications of terms`

    private static let now = Timestamp(seconds: 1_000_000)

    /// Returns the documents that a publication leads to, as if it had been published at a time.
    private static func published(_ publication: Publication, at time: Timestamp) -> [TermsDocument] {
        publication.documents.map { document in
            TermsDocument(
                key: document.key,
                kind: document.kind,
                clientID: document.clientID,
                titles: document.titles,
                defaultLanguage: document.defaultLanguage,
                createdAt: time,
                versions: document.versions.map { version in
                    TermsVersion(
                        number: version.number,
                        asks: version.asks,
                        effectiveAt: version.effectiveAt ?? time,
                        publishedAt: time,
                        texts: version.texts.map {
                            TermsText(
                                language: $0.language,
                                hash: $0.hash,
                                summary: $0.summary,
                                addedAt: time
                            )
                        }
                    )
                }
            )
        }
    }

    private static func texts(_ publication: Publication) -> [String: [String: [UInt8]]] {
        var texts: [String: [String: [UInt8]]] = [:]
        for document in publication.documents {
            for text in document.versions.last?.texts ?? [] {
                texts[document.key, default: [:]][text.language] = text.bytes
            }
        }
        return texts
    }

    private static func version(
        _ number: Int,
        asks: String = "acceptance",
        at time: String? = nil,
        _ texts: (String, String, String)...
    ) -> String {
        let texts = texts.map { #"{"language": "\#($0)", "text": "\#($1)", "summary": "\#($2)"}"# }
        return JSON.version([
            "number": "\(number)", "asks": #""\#(asks)""#,
            "effective_at": time.map { #""\#($0)""# } ?? "null",
            "texts": "[\(texts.joined(separator: ","))]",
        ])
    }

    private static func document(_ versions: String..., members: [String: String] = [:]) -> String {
        JSON.document(
            ["versions": "[\(versions.joined(separator: ","))]"].merging(members) { _, new in new }
        )
    }

    private static let first = version(1, at: "1970-01-12T00:00:00Z", ("en", "one two three four", ""))
    private static let second = version(2, ("en", "one two three five", "Five."))
    private static let past = "1970-01-12T13:46:39.999999Z"
    private static let present = "1970-01-12T13:46:40Z"

    /// A publication, and the changes, conflicts, mistakes and warnings of its plan, if the first version and
    /// maybe others are already published.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var before: String? = first
        var published: String { `Plans of publications`.document(before ?? "") }
        let document: String
        var clients: [String: [String]] = [:]
        var changes: [String] = []
        var conflicts: [String] = []
        var mistakes: [String] = []
        var warnings: [String] = []

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "a new document",
            before: nil,
            document: document(version(1, ("en", "one", ""))),
            changes: ["document shop", "version shop 1 at 1000000"]
        ),
        Case(name: "the same document", document: document(first)),
        Case(
            name: "a published version without its time",
            document: document(version(1, ("en", "one two three four", "")))
        ),
        Case(name: "no versions", document: document()),
        Case(
            name: "a new version",
            document: document(first, second),
            changes: ["version shop 2 at 1000000"]
        ),
        Case(
            name: "a new version alone",
            document: document(second),
            changes: ["version shop 2 at 1000000"]
        ),
        Case(
            name: "a version in the future",
            document: document(version(2, at: "1970-01-13T00:00:00Z", ("en", "one", "One."))),
            changes: ["version shop 2 at 1036800"]
        ),
        Case(
            name: "a version that takes effect now",
            document: document(version(2, at: present, ("en", "one", "One."))),
            changes: ["version shop 2 at 1000000"]
        ),
        Case(
            name: "a version that would have taken effect before",
            document: document(version(2, at: past, ("en", "one", "One."))),
            mistakes: [
                "shop/2: effective_at is in the past; without it, the version takes effect when it is published"
            ]
        ),
        Case(
            name: "a gap in the numbers",
            document: document(version(9, ("en", "one", "One."))),
            changes: ["version shop 9 at 1000000"]
        ),
        Case(
            name: "a smaller number",
            before: version(5, at: "1970-01-12T00:00:00Z", ("en", "one two three four", "")),
            document: document(version(4, ("en", "one", "One."))),
            conflicts: ["shop/4: version 5 is already published, and a new version needs a larger number"]
        ),
        Case(
            name: "another text",
            document: document(version(1, ("en", "one two three five", ""))),
            conflicts: ["shop/1/en: another text was published"]
        ),
        Case(
            name: "another byte",
            document: document(version(1, ("en", "one two three four ", ""))),
            conflicts: ["shop/1/en: another text was published"]
        ),
        Case(
            name: "another summary",
            document: document(version(1, ("en", "one two three four", "New."))),
            conflicts: ["shop/1/en: another summary was published"]
        ),
        Case(
            name: "another time",
            document: document(version(1, at: "1970-01-12T00:00:01Z", ("en", "one two three four", ""))),
            conflicts: ["shop/1: effective_at was published as 1970-01-12T00:00:00.000000Z"]
        ),
        Case(
            name: "another request",
            document: document(version(1, asks: "nothing", ("en", "one two three four", ""))),
            conflicts: ["shop/1: asks was published as acceptance"]
        ),
        Case(
            name: "another kind, client and default language",
            document: document(
                first,
                members: [
                    "kind": #""privacy""#, "client_id": #""app""#, "default_language": #""nb""#,
                    "titles": #"{"en": "Terms", "nb": "V"}"#, "versions": "[]",
                ]
            ),
            clients: ["app": []],
            changes: ["titles shop en,nb"],
            conflicts: [
                "shop: kind was published as terms", "shop: client_id was published as null",
                "shop: default_language was published as en",
            ]
        ),
        Case(
            name: "a translation of a published version",
            document: document(
                version(1, ("en", "one two three four", ""), ("nb", "en to tre fire", "")),
                members: ["titles": #"{"en": "Terms", "nb": "Vilkår"}"#]
            ),
            changes: ["titles shop en,nb", "text shop 1 nb"]
        ),
        Case(
            name: "another title",
            document: document(first, members: ["titles": #"{"en": "Rules"}"#]),
            changes: ["titles shop en"]
        ),
        Case(
            name: "a text without a title",
            document: document(version(1, ("en", "one two three four", ""), ("nb", "en", ""))),
            changes: ["text shop 1 nb"],
            warnings: ["shop: there is a text in nb, but no title"]
        ),
        Case(
            name: "a version that asks without a summary",
            document: document(version(2, ("en", "one", ""))),
            changes: ["version shop 2 at 1000000"],
            warnings: ["shop/2/en: there is no summary of the changes"]
        ),
        Case(
            name: "a missing translation",
            before: version(
                1,
                at: "1970-01-12T00:00:00Z",
                ("en", "one two three four", ""),
                ("nb", "en", "")
            ),
            document: document(second),
            changes: ["version shop 2 at 1000000"],
            warnings: ["shop/2: there is no text in nb, in contrast to the version before"]
        ),
        Case(
            name: "an editorial version with many changes",
            document: document(version(2, asks: "nothing", ("en", "one two six seven", ""))),
            changes: ["version shop 2 at 1000000"],
            warnings: ["shop/2/en: about 50 % of the words change, but the version asks for nothing"]
        ),
        Case(
            name: "an editorial version after another one of the publication",
            document: document(second, version(3, asks: "nothing", ("en", "one two three five", ""))),
            changes: ["version shop 2 at 1000000", "version shop 3 at 1000000"]
        ),
        Case(
            name: "an unknown client",
            before: nil,
            document: document(first, members: ["client_id": #""app""#, "versions": "[]"]),
            changes: ["document shop"],
            warnings: ["shop: the client app isn't registered"]
        ),
        Case(
            name: "a client that lists other documents, one of which doesn't exist",
            before: nil,
            document: document(first, members: ["client_id": #""app""#, "versions": "[]"]),
            clients: ["app": ["other"], "blog": ["shop"]],
            changes: ["document shop"],
            warnings: [
                "shop: the client app lists other documents, so its users aren't asked",
                "the client app lists the document other, which isn't published",
            ]
        ),
    ]

    @Test(arguments: cases) func `A plan contains what isn't published yet`(_ test: Case) throws {
        var facts = PublicationPlan.Facts(clients: test.clients, now: Self.now)
        if test.before != nil {
            let before = try JSON.publication(test.published)
            facts.published = Self.published(before, at: Timestamp(seconds: 5))
            facts.texts = Self.texts(before)
        }
        let plan = PublicationPlan(try JSON.publication(test.document), facts: facts)
        #expect(plan.changes.map(\.line) == test.changes)
        #expect(plan.conflicts.map(\.description) == test.conflicts)
        #expect(plan.mistakes.map(\.description) == test.mistakes)
        #expect(plan.warnings.map(\.description) == test.warnings)
    }

    @Test(arguments: [
        ("a b c d", "a b c d", 0.0), ("a b c d", "a  b\nc d", 0), ("", "", 0), ("", "a b", 1),
        ("a b c d", "a b c e", 0.25), ("a b c d e f g h", "a b X d e f g h", 0.125),
        ("a b c d", "d c b a", 0.75), ("a b c d", "w x y z", 0.75),
    ]) func `The share of changed words is an estimate`(_ old: String, _ new: String, _ share: Double) {
        #expect(WordChange.share(from: Array(old.utf8), to: Array(new.utf8)) == share)
    }
}

extension PublicationPlan.Change {
    fileprivate var line: String {
        switch self {
        case .documentAdded(let document): "document \(document.key)"
        case .titlesChanged(let key, let titles):
            "titles \(key) \(titles.keys.sorted().joined(separator: ","))"
        case .versionAdded(let key, let version, let time):
            "version \(key) \(version.number) at \(time.seconds)"
        case .textAdded(let key, let version, let text): "text \(key) \(version) \(text.language)"
        }
    }
}
