import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Registration while documents ask for an answer` {
    private static let reference = "1/en/" + TermsServer.hash()
    private static let given: [String: JSONValue] = [
        "terms.shop.text": .string(reference), "terms.shop.accepted": true,
    ]

    private let terms: TermsServer
    private var server: SelfServiceServer { terms.server }

    init() async throws {
        terms = try await TermsServer()
    }

    private func signUp(_ members: [String: JSONValue], query: String = "") async throws -> Answer {
        let body: [String: JSONValue] = [
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(),
        ]
        return try await server.submit(
            .registration,
            await server.begin(.registration, query),
            .object(body.merging(members) { _, new in new })
        )
    }

    @Test func `The form shows the text's address, its hash and a checkbox`() async throws {
        try await terms.publish()
        let form = await server.get("/self-service/registration/api")
        let text = form.node("terms.shop.text")
        #expect(text?["attributes"]?["type"] == "hidden")
        #expect(text?["attributes"]?["value"] == .string(Self.reference))
        let box = form.node("terms.shop.accepted")
        #expect(box?["attributes"]?["type"] == "checkbox" && box?["attributes"]?["required"] == true)
        #expect(box?["meta"]?["label"]?["text"] == "I accept: Terms")
        let url = try #require(box?["meta"]?["label"]?["context"]?["url"]?.text)
        #expect(url == "https://id.example.com/terms/shop/1?lang=en")
    }

    @Test(arguments: [
        given,
        ["terms": .object(["shop": .object(["text": .string(reference), "accepted": true])])],
        ["terms.shop.text": .string(reference), "terms.shop.accepted": "true"],
    ])
    func `An account is created together with the evidence of its answers`(
        members: [String: JSONValue]
    ) async throws {
        try await terms.publish()
        let answer = try await signUp(members)
        #expect(answer.status == 200, "\(answer.body)")
        let token = try #require(answer.sessionToken)
        #expect(await terms.asked(token) == [])
        let documents = await server.get(TermsServer.path, token: token)["documents"]
        #expect(documents?.first?["answer"]?["shown"] == "sign_up")
        #expect(documents?.first?["answer"]?["session_id"] == answer["session"]?["id"])
        #expect(try await terms.count() == 1)
    }

    @Test(
        arguments: [
            ([:], MessageID.missing),
            (["terms.shop.accepted": true], .wrongFormat),
            (["terms.shop.text": .string(reference)], .missing),
            (["terms.shop.text": .string(reference), "terms.shop.accepted": false], .missing),
            (["terms.shop.text": .string(reference), "terms.shop.accepted": "false"], .missing),
            (["terms.shop.text": "1/en/AAAA", "terms.shop.accepted": true], .wrongFormat),
            (
                ["terms.shop.text": .string("2/en/" + TermsServer.hash()), "terms.shop.accepted": true],
                .wrongFormat
            ),
            (["terms": "shop"], .missing), (["terms": .object(["shop": true])], .missing),
        ] as [([String: JSONValue], MessageID)]
    )
    func `Without the right answer, no account is created`(
        members: [String: JSONValue],
        message: MessageID
    ) async throws {
        try await terms.publish()
        let answer = try await signUp(members)
        #expect(answer.status == 400)
        #expect(answer.messages("terms.shop.accepted") == [message], "\(answer.body)")
        #expect(try await server.count("identities") == 0)
        #expect(try await terms.count() == 0)
    }

    @Test func `A version that was published while the user read is shown, and asked for`() async throws {
        try await terms.publish()
        let flow = await server.begin(.registration)
        try await terms.publish(2)
        let body: [String: JSONValue] = [
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(),
        ]
        let late = try await server.submit(
            .registration,
            flow,
            .object(body.merging(Self.given) { _, new in new })
        )
        #expect(late.status == 400 && late.messages("terms.shop.accepted") == [.wrongFormat])
        let text = try #require(late.node("terms.shop.text")?["attributes"]?["value"])
        #expect(text == .string("2/en/" + TermsServer.hash()))
        let again = body.merging(["terms.shop.text": text, "terms.shop.accepted": true]) { _, new in new }
        #expect(try await server.submit(.registration, flow, .object(again)).status == 200)
    }

    @Test func `A code asks for the answers after it was entered, and only from a new user`() async throws {
        try await terms.publish()
        let flow = await server.begin(.registration)
        let traits = SelfServiceServer.traits()
        let ask: JSONValue = .object(["method": "code", "traits": traits])
        let sent = try await server.submit(.registration, flow, ask)
        #expect(sent.node("terms.shop.accepted") == nil)
        let code = try await server.code(for: "person1@example.org")
        let asked = try await server.submit(
            .registration,
            flow,
            .object(["method": "code", "code": .string(code), "traits": traits])
        )
        #expect(asked.status == 400 && asked.node("terms.shop.accepted") != nil, "\(asked.body)")
        #expect(try await server.count("identities") == 0)

        let refused = try await server.submit(.registration, flow, ask)
        #expect(refused.messages("terms.shop.accepted") == [.missing], "\(refused.body)")
        let members = Self.given.merging(["method": "code", "traits": traits]) { _, new in new }
        let created = try await server.submit(.registration, flow, .object(members))
        #expect(created.status == 200, "\(created.body)")
        #expect(try await terms.count() == 1)
    }

    @Test func `A privacy notice is acknowledged`() async throws {
        try await terms.publish(1, ["asks": #""acknowledgement""#], document: ["kind": #""privacy""#])
        let form = await server.get("/self-service/registration/api")
        #expect(form.node("terms.shop.accepted")?["meta"]?["label"]?["text"] == "I have read: Terms")
        let answer = try await signUp(Self.given)
        let user = TermsServer.User(
            id: try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) }),
            token: try #require(answer.sessionToken)
        )
        #expect(try await terms.rows(of: user) == ["acknowledgement 1"])
    }

    @Test func `Documents of a client are asked for at this client only`() async throws {
        await terms.client("shop")
        try await terms.publish(document: ["client_id": #""shop""#])
        #expect(try await signUp([:], query: "?client_id=shop").status == 400)
        #expect(try await signUp([:]).status == 200)
        #expect(try await terms.count() == 0)
    }

    @Test func `Without documents that ask for an answer, the form is unchanged`() async throws {
        let before = await server.get("/self-service/registration/api")["ui"]?["nodes"]
        try await terms.publish(1, ["asks": #""nothing""#])
        #expect(await server.get("/self-service/registration/api")["ui"]?["nodes"] == before)
    }
}
