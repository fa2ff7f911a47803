import LatchkeyModel
import LatchkeyServer
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCourier
@testable import LatchkeySelfService

@Suite struct `Form texts` {
    static let foreign = Language.allCases.filter { $0 != .english }

    @Test(arguments: foreign) func `All form text is translated into every language`(_ language: Language) {
        let table = FormText.table(of: language)
        #expect(FormText.allCases.filter { table[$0] == nil } == [])
        #expect(table.values.allSatisfy { !$0.isEmpty })
    }

    @Test(arguments: foreign) func `Translations have the same placeholders in every language`(
        _ language: Language
    ) {
        func places(_ text: String) -> Set<Substring> {
            Set(text.split(separator: "{").dropFirst().compactMap { $0.split(separator: "}").first })
        }
        for (text, words) in FormText.table(of: language) {
            #expect(places(words) == places(text.rawValue), "\(text)")
        }
    }

    @Test(
        arguments: [
            (
                UIMessage.tooShort(2, minimum: 8),
                "This is too short. The minimum length is 8; you entered 2.",
                "Det här är för kort. Längden måste vara minst 8, men är 2."
            ),
            (
                .wrongType(.integer(5), expected: "string"),
                "This has the wrong type. Expected: string.", "Värdet är av fel typ. Rätt typ: string."
            ),
            (
                .duplicate("a{b}@example.org", methods: ["password"]),
                "An account with a{b}@example.org already exists. Sign in instead.",
                "Det finns redan ett konto med a{b}@example.org. Logga in i stället."
            ),
            (.refusal("“{reason}{x}” is not one."), "““{reason}{x}” is not one.{x}” is not one.", nil),
        ] as [(UIMessage, String, String?)]
    ) func `A message's placeholders are replaced with its values`(
        _ message: UIMessage,
        _ english: String,
        _ swedish: String?
    ) {
        #expect(FormTranslations.builtIn[.english].text(of: message) == english)
        #expect(FormTranslations.builtIn[.swedish].text(of: message) == swedish ?? english)
    }

    @Test func `Operators can replace the text in forms, including trait titles`() {
        let texts = FormTranslations(replacing: [
            .swedish: ["Password": "Lösen", "Shoe size": "Skostorlek"], .english: ["Password": "Passphrase"],
        ])
        #expect(texts[.swedish].text(of: UIMessage.Label.password) == "Lösen")
        #expect(
            texts[.swedish].text(of: UIMessage.Label.trait("traits.shoe", title: "Shoe size")) == "Skostorlek"
        )
        #expect(texts[.english].text(of: UIMessage.Label.password) == "Passphrase")
        #expect(texts[.finnish].text(of: UIMessage.Label.password) == "Salasana")
        #expect(texts[.swedish].text(of: UIMessage.Label.save) == "Spara")
    }
}

@Suite(.onEachDatabase) struct `Translating forms` {
    private func label(_ answer: Answer, _ field: String) -> String? {
        answer.node(field)?["meta"]?["label"]?["text"]?.text
    }

    @Test(arguments: [
        (nil, "Password"), ("sv", "Lösenord"), ("nn-NO, en;q=0.5", "Passord"), ("fi", "Salasana"),
        ("de", "Password"),
    ])
    func `The form uses the language that the client prefers`(_ wish: String?, _ word: String) async throws {
        let server = try await SelfServiceServer()
        let headers: HTTP.Headers = wish.map { ["Accept-Language": $0] } ?? [:]
        let flow = await server.get("/self-service/login/api", headers: headers)
        #expect(label(flow, "password") == word)
        let id = try #require(flow["id"]?.text)
        let shown = await server.get("/self-service/login/flows?id=\(id)", headers: headers)
        #expect(label(shown, "password") == word)
    }

    @Test func `The operator's language is used if the client doesn't request a supported one`() async throws
    {
        let server = try await SelfServiceServer { $0.courier.language = .finnish }
        #expect(label(await server.get("/self-service/login/api"), "password") == "Salasana")
    }

    @Test func `Error messages are translated`() async throws {
        let server = try await SelfServiceServer()
        let body = JSONValue.object(["method": "password", "identifier": "a", "password": "x"])
        let flow = await server.begin(.login)
        let answer = try await server.submit(.login, flow, body, headers: ["Accept-Language": "sv"])
        let text = answer["ui"]?["messages"]?.elements.first?["text"]?.text
        #expect(text == FormText.table(of: .swedish)[.invalidCredentials])
        #expect(label(answer, "password") == "Lösenord")
    }
}
