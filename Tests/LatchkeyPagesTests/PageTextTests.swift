import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyPages
@testable import LatchkeySelfService

@Suite struct `Page texts` {
    private static let foreign = Language.allCases.filter { $0 != .english }

    @Test(arguments: foreign) func `All page text is translated into every language`(_ language: Language) {
        let table = PageText.table(of: language)
        #expect(PageText.allCases.filter { table[$0]?.isEmpty != false } == [])
    }

    @Test(arguments: foreign) func `Translations have the placeholders of the English text`(
        _ language: Language
    ) {
        func places(_ text: String) -> [Substring] {
            text.split(separator: "{").dropFirst().compactMap { $0.split(separator: "}").first }.sorted()
        }
        for text in PageText.allCases {
            let words = PageText.table(of: language)[text] ?? ""
            #expect(places(words) == places(text.rawValue), "\(text)")
        }
    }

    @Test func `All placeholders are known`() {
        for text in PageText.allCases {
            for name in text.rawValue.split(separator: "{").dropFirst() {
                #expect(PageText.Placeholder(rawValue: String(name.prefix { $0 != "}" })) != nil)
            }
        }
    }

    @Test func `Operators can replace the texts of pages in the same way as those of forms`() throws {
        let texts = FormTranslations(replacing: [
            .swedish: ["Forgot your password?": "Nytt lösenord?", "Sign in": "In"],
            .english: ["Sign in to continue to {client}.": "{client}: {other} {client}"],
        ])
        var page = try FlowPage.sample(.login)
        page.request = .init(client: .shop, cancel: .root)
        let sample = PageSample("login", page: page)
        let swedish = try HTMLTree.parse(sample.response(in: .swedish, texts: texts).body)
        #expect(swedish.first("h1")?.text == "In")
        #expect(swedish.named("a").map(\.text) == ["Nytt lösenord?", "Skapa konto"])
        let english = try HTMLTree.parse(sample.response(texts: texts).body)
        #expect(english.first("p", where: { $0["class"] == nil })?.text == "The Shop: {other} The Shop")
    }

    @Test func `Values aren't searched for placeholders`() throws {
        let page = WelcomePage(account: "{account}{client}")
        let tree = try PageSample("welcome", page: page).tree()
        #expect(tree.named("bdi").map(\.text).contains("{account}{client}"))
    }

    @Test(
        arguments: [
            ("sv", "fi", "sv"), (nil, "fi, en;q=0.5", "fi"), ("de fr", "nb", "nb"), (nil, nil, "en"),
            ("nn-NO en", "fi", "nb"), ("", "", "en"), ("de", "fr", "en"),
        ] as [(String?, String?, String)]
    )
    func `The client's languages come before the browser's`(
        _ locales: String?,
        _ accepted: String?,
        _ language: String
    ) {
        let chosen = Language(uiLocales: locales, acceptLanguage: accepted, default: .english)
        #expect(chosen.rawValue == language)
    }
}
