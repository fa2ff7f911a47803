import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyPages
@testable import LatchkeySelfService

extension TermsPage {
    /// A page with a text in Norwegian, which also exists in English and in a language that pages don't have.
    static func sample(_ words: String = "Vær snill.", title: String = "Vilkår", summary: String = "Nytt.")
        -> TermsPage
    {
        let texts = ["en", "ar", "nb"].map { language in
            TermsText(language: language, hash: [1], summary: summary, addedAt: Timestamp(seconds: 0))
        }
        let version = TermsVersion(
            number: 3,
            asks: .acceptance,
            effectiveAt: Timestamp(seconds: 86_400),
            publishedAt: Timestamp(seconds: 0),
            texts: texts
        )
        let document = TermsDocument(
            key: "shop",
            kind: .terms,
            clientID: nil,
            titles: ["en": "Terms", "nb": title],
            defaultLanguage: "en",
            createdAt: Timestamp(seconds: 0),
            versions: [version]
        )
        return TermsPage(document, version: version, text: texts[2], words: words)
    }
}

@Suite struct `The page of a text` {
    private func tree(_ page: TermsPage, in language: Language = .norwegian) throws -> HTMLTree {
        try PageSample("terms", page: page).tree(in: language)
    }

    @Test func `The title, the version, its date, its changes and its words are shown`() throws {
        let tree = try tree(.sample("Én.\n\nTo\nlinjer."))
        #expect(tree.first("h1")?.text == "Vilkår")
        #expect(
            tree.named("p").dropFirst().map(\.text) == [
                "Versjon 3, gjelder fra 1970-01-02", "Hva som er endret", "Nytt.", "Én.", "To\nlinjer.",
            ]
        )
    }

    @Test func `Without changes there is no heading for them`() throws {
        #expect(try tree(.sample(summary: "")).all.first { $0["class"] == "status" } == nil)
    }

    @Test func `The page links to the other languages, and the text has its own language`() throws {
        let tree = try tree(.sample(), in: .english)
        #expect(tree.named("a").map(\.text) == ["English", "ar"])
        #expect(
            tree.named("a").map { $0["href"] } == [
                "https://id.example.com/terms/shop/3?lang=en", "https://id.example.com/terms/shop/3?lang=ar",
            ]
        )
        #expect(tree.first("h1")?.elements.first?["lang"] == "nb")
        #expect(tree.all.filter { $0["dir"] == "auto" }.allSatisfy { $0["lang"] == "nb" })
    }

    @Test func `No text can become markup`() throws {
        let script = "\"'><script>alert(1)</script>"
        let tree = try tree(.sample(script, title: script, summary: script))
        #expect(tree.named("script").isEmpty)
        #expect(tree.named("p").filter { $0.text == script }.count == 2)
        #expect(tree.first("h1")?.text == script)
    }

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\nb", ["a\nb"]), ("a\n\nb", ["a", "b"]),
            ("a\r\n\r\nb\r\n", ["a", "b"]),
            ("a\r\rb", ["a", "b"]), ("\n\n a\n  \n\n\tb\n", [" a", "\tb"]), ("a\r\nb", ["a\nb"]),
        ] as [(String, [String])]
    )
    func `Paragraphs are separated by empty lines`(text: String, paragraphs: [String]) {
        #expect(TermsPage.paragraphs(of: text) == paragraphs)
    }
}
