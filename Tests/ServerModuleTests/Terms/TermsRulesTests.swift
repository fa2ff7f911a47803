import LatchkeyModel
import LatchkeyServerKit
import Testing

@testable import LatchkeySelfService

@Suite struct `Rules of terms` {
    /// Creates a document whose versions are given as number, request and effective second.
    private static func document(
        _ versions: (Int, TermsVersion.Request, Int64)...,
        client: String? = nil
    ) -> TermsDocument {
        TermsDocument(
            key: "terms",
            kind: .terms,
            clientID: client,
            titles: ["en": "Terms", "nb": "Vilkår"],
            defaultLanguage: "en",
            createdAt: Timestamp(seconds: 0),
            versions: versions.map { number, asks, time in
                TermsVersion(
                    number: number,
                    asks: asks,
                    effectiveAt: Timestamp(seconds: time),
                    publishedAt: Timestamp(seconds: 0)
                )
            }
        )
    }

    /// The required, current and upcoming versions at a second.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let document: TermsDocument
        let second: Int64
        let required: Int?
        let current: Int?
        let upcoming: Int?

        init(
            _ name: String,
            _ document: TermsDocument,
            at second: Int64,
            required: Int?,
            current: Int?,
            upcoming: Int?
        ) {
            (self.name, self.document, self.second) = (name, document, second)
            (self.required, self.current, self.upcoming) = (required, current, upcoming)
        }

        var testDescription: String { name }
    }

    private static let three = document((1, .acceptance, 10), (2, .acceptance, 20), (3, .nothing, 30))
    private static let mistaken = document((1, .acceptance, 10), (2, .acceptance, 90), (3, .acceptance, 50))
    private static let twins = document((1, .acceptance, 10), (2, .acceptance, 20), (3, .acceptance, 20))

    static let cases = [
        Case("no versions", document(), at: 0, required: nil, current: nil, upcoming: nil),
        Case("before the first", three, at: 9, required: nil, current: nil, upcoming: 1),
        Case("at the effective time", three, at: 10, required: 1, current: 1, upcoming: 2),
        Case("a second before the next", three, at: 19, required: 1, current: 1, upcoming: 2),
        Case("at the next", three, at: 20, required: 2, current: 2, upcoming: 3),
        Case("an editorial version asks no user", three, at: 30, required: 2, current: 3, upcoming: nil),
        Case("a larger number first", mistaken, at: 49, required: 1, current: 1, upcoming: 3),
        Case("the larger number is in force", mistaken, at: 50, required: 3, current: 3, upcoming: nil),
        Case("a smaller number never replaces it", mistaken, at: 90, required: 3, current: 3, upcoming: nil),
        Case("two at the same time, before", twins, at: 15, required: 1, current: 1, upcoming: 3),
        Case("two at the same time, after", twins, at: 20, required: 3, current: 3, upcoming: nil),
        Case(
            "only an editorial version",
            document((1, .nothing, 1)),
            at: 1,
            required: nil,
            current: 1,
            upcoming: nil
        ),
        Case(
            "an acknowledgement is required, too",
            document((1, .acceptance, 1), (2, .acknowledgement, 2)),
            at: 2,
            required: 2,
            current: 2,
            upcoming: nil
        ),
    ]

    @Test(arguments: cases) func `A version is required from its effective time on`(_ test: Case) {
        let now = Timestamp(seconds: test.second)
        #expect(test.document.required(at: now)?.number == test.required)
        #expect(test.document.current(at: now)?.number == test.current)
        #expect(test.document.upcoming(at: now)?.number == test.upcoming)
    }

    /// The client of the document, the client of the session, the keys that it lists, and whether the document
    /// applies.
    static let applications: [(owner: String?, client: String?, listed: [String], applies: Bool)] = [
        (nil, nil, [], true),
        (nil, "shop", [], true),
        (nil, "shop", ["terms"], true),
        (nil, "shop", ["other"], false),
        ("shop", nil, [], false),
        ("shop", "shop", [], true),
        ("shop", "shop", ["other"], false),
        ("shop", "shop", ["other", "terms"], true),
        ("shop", "blog", [], false),
        ("shop", "blog", ["terms"], true),
    ]

    @Test(arguments: applications) func `A document applies to the clients that have it`(
        _ test: (owner: String?, client: String?, listed: [String], applies: Bool)
    ) {
        let document = Self.document((1, .acceptance, 1), client: test.owner)
        #expect(document.applies(to: test.client, listing: test.listed) == test.applies)
    }

    @Test(
        arguments: [
            (nil, "en"), ("nb", "nb"), ("nb-NO, en;q=0.5", "nb"), ("fi, nb;q=0.5", "nb"), ("fi", "en"),
            ("en;q=0, nb", "nb"), ("PT-br", "pt-br"), ("pt", "en"), ("x", "en"), ("", "en"),
        ] as [(String?, String)]
    )
    func `The text has the most preferred language, or else the default one`(
        _ accepted: String?,
        _ language: String
    ) {
        let version = TermsVersion(
            number: 1,
            asks: .acceptance,
            effectiveAt: Timestamp(seconds: 0),
            publishedAt: Timestamp(seconds: 0),
            texts: ["en", "nb", "pt-br"].map {
                TermsText(language: $0, hash: [], summary: "", addedAt: Timestamp(seconds: 0))
            }
        )
        #expect(
            version.text(accepting: accepted.map { LanguageRanges($0) }, else: "en")?.language == language
        )
    }

    @Test(arguments: [
        ("a", true), ("shop-terms-2", true), (String(repeating: "a", count: 64), true), ("", false),
        (String(repeating: "a", count: 65), false), ("Terms", false), ("a_b", false), ("a.b", false),
        ("a/b", false), ("a b", false), ("ä", false), ("a\n", false),
    ]) func `A key consists of lowercase letters, digits and hyphens`(_ text: String, _ isKey: Bool) {
        #expect(TermsDocument.isKey(text) == isKey)
    }

    @Test(arguments: [
        ("en", true), ("nb", true), ("pt-br", true), ("zh-hans-cn", true), ("yue", true), ("e", false),
        ("EN", false), ("en-", false), ("en_gb", false), ("english", false), ("12", false), ("", false),
        ("en-abcdefghi", false),
    ]) func `A language is a lowercase tag`(_ text: String, _ isLanguage: Bool) {
        #expect(TermsText.isLanguage(text) == isLanguage)
    }
}
