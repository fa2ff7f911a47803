import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The field names of a form, such as `traits.email`, can be used as member names in a request body.
@Suite("Dotted field names", .onEachDatabase) struct SubmittedNamesTests {
    private static let mail = "person1@example.org"
    private static let phone = "+46701000001"

    struct Row: Sendable, CustomTestStringConvertible {
        let body: [String: JSONValue]
        var traits: [String: JSONValue]?
        var fields: [String: MessageID] = [:]
        var reason: String?

        var testDescription: String { body.keys.sorted().joined(separator: ", ") }
    }

    static let rows = [
        Row(
            body: ["traits.email": .string(mail), "traits.phone": .string(phone), "traits.name": ""],
            traits: ["email": .string(mail), "phone": .string(phone)]
        ),
        Row(
            body: ["traits.email": .string(mail), "traits": .object(["phone": .string(phone)])],
            traits: ["email": .string(mail), "phone": .string(phone)]
        ),
        Row(
            body: ["traits.email": .string(mail), "traits.phone": .string(phone), "traits": .null],
            traits: ["email": .string(mail), "phone": .string(phone)]
        ),
        Row(
            body: [
                "traits.email": .string(mail), "traits.phone": .string(phone), "traits.other": "x",
                "traits.name": .null,
            ],
            traits: ["email": .string(mail), "phone": .string(phone)]
        ),
        Row(body: ["traits.email": "", "traits.phone": .string(phone)], fields: ["traits.email": .missing]),
        Row(
            body: ["traits.email": .integer(5), "traits.phone": .string(phone)],
            fields: ["traits.email": .wrongType]
        ),
        Row(
            body: ["traits.email": .string(mail), "traits": SelfServiceServer.traits()],
            reason: #"The body contains the member "traits.email" more than once."#
        ),
        Row(
            body: ["traits.email": .string(mail), "traits": "x"],
            reason: #"The body contains the member "traits.email" more than once."#
        ),
    ]

    @Test(arguments: rows)
    func `Dotted names can be used to register, but submitting a field twice is rejected`(_ row: Row)
        async throws
    {
        let server = try await SelfServiceServer()
        let body = row.body.merging(["method": "password", "password": .string(SelfServiceServer.password)]) {
            $1
        }
        let answer = try await server.submit(.registration, await server.begin(.registration), .object(body))
        #expect(answer.status == (row.traits == nil ? 400 : 200))
        #expect(answer["identity"]?["traits"] == row.traits.map { .object($0) })
        for (field, message) in row.fields { #expect(answer.messages(field) == [message]) }
        let message = answer["ui"]?["messages"]?.elements.first
        #expect(message?["context"]?["reason"]?.text == row.reason)
    }

    @Test func `Dotted names refer to members of objects, and text is converted to numbers`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "email": {"type": "string", "format": "email", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}}},
              "age": {"type": "integer"}, "news": {"type": "boolean"},
              "name": {"type": "object", "properties": {"first": {"type": "string"}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema])
        let body: JSONValue = .object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits.email": .string(Self.mail),
            "traits.age": "42", "traits.news": .bool(true), "traits.name.first": "Kim",
        ])
        let answer = try await server.submit(.registration, await server.begin(.registration), body)
        #expect(
            answer["identity"]?["traits"]
                == .object([
                    "email": .string(Self.mail), "age": .integer(42), "news": .bool(true),
                    "name": .object(["first": "Kim"]),
                ])
        )
    }

    @Test func `Dotted names work in settings flows and in registrations with two steps`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let flow = await server.begin(.settings, token: token)
        let body: JSONValue = .object([
            "method": "profile", "traits.email": .string(Self.mail), "traits.phone": .string(Self.phone),
            "traits.name": "Flat",
        ])
        let answer = try await server.submit(.settings, flow, body, token: token)
        #expect(answer.messages == [.settingsSaved])
        #expect(answer["identity"]?["traits"]?["name"] == "Flat")
        let steps = try await SelfServiceServer { $0.registration.style = .profileFirst }
        let first: JSONValue = .object([
            "method": "profile", "traits.email": .string(Self.mail), "traits.phone": .string(Self.phone),
        ])
        let next = try await steps.submit(.registration, await steps.begin(.registration), first)
        #expect(next.value("traits.email") == .string(Self.mail))
        #expect(next.node("password") != nil)
    }

    @Test func `A name that is submitted twice is rejected, and the error contains the name`() async throws {
        let server = try await SelfServiceServer()
        var request = HTTP.Request(
            .post,
            "/a/self-service/login",
            query: "flow=" + (await server.begin(.login)),
            headers: ["Content-Type": "application/json"]
        )
        request.body = Array(#"{"method":"password","method":"code"}"#.utf8)
        let message = await server.send(request)["ui"]?["messages"]?.elements.first
        #expect(
            message?["context"]?["reason"]?.text == #"The body contains the member "method" more than once."#
        )
    }

    @Test func `A code can be submitted as a number without its leading zeros`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        for kind in [FlowKind.login, .recovery, .verification] {
            let flow = try await server.requestCode(kind, to: Self.mail)
            let code = try #require(Int64(try await server.code(for: Self.mail)))
            for (number, isRight) in [((code + 1) % 1_000_000, false), (code, true)] {
                let answer = try await server.submitCode(kind, flow, ["code": .integer(number)])
                let isDone = answer["session_token"] != nil || answer["state"] == "passed_challenge"
                #expect(isDone == isRight, "\(kind)")
            }
        }
    }

    @Test(
        arguments: [
            ("12345", "012345"), ("0", "000000"), ("999999", "999999"), ("-1", nil), ("1000000", nil),
            ("1.5", nil), ("null", nil), ("\"012345\"", "012345"),
        ] as [(String, String?)]
    ) func `Numbers with up to six digits are accepted as codes`(_ json: String, _ code: String?) throws {
        let request = HTTP.Request(
            .post,
            "/",
            headers: ["Content-Type": "application/json"],
            body: Array(#"{"code": \#(json)}"#.utf8)
        )
        let submission = try Submission.read(
            request,
            by: SchemaCatalog(standard: "person").standard,
            fields: MethodForms(FormSettings()).fields
        ).get()
        #expect(submission.optionalText("code") == code)
    }

    @Test func `A password that is a number is rejected`() async throws {
        let server = try await SelfServiceServer(schema: "person")
        try await server.register(1, password: "123456789012")
        let body: JSONValue = .object([
            "method": "password", "identifier": .string(Self.mail), "password": .integer(123_456_789_012),
        ])
        let answer = try await server.submit(.login, await server.begin(.login), body)
        #expect(answer.status == 400)
        #expect(answer.messages("password") == [.wrongType])
    }
}
