import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Size limits on stored flows", .onEachDatabase) struct FlowBoundsTests {
    private static let limit = 4096

    /// Returns the content of each row in the `flows` table, with all columns joined together.
    private func rows(_ server: SelfServiceServer) async throws -> [[UInt8]] {
        try await server.resources.database.rows("SELECT * FROM flows").map { row in
            (0..<30).flatMap { column in
                (try? row.text(column)).map { Array($0.utf8) } ?? (try? row.blob(column))
                    ?? [UInt8](repeating: 0, count: 8)
            }
        }
    }

    private func rowsHold(_ text: String, _ server: SelfServiceServer) async throws -> Bool {
        try await rows(server).contains { row in
            String(decoding: row, as: UTF8.self).lowercased().contains(text.lowercased())
        }
    }

    private static let long = String(repeating: "x", count: 60_000)
    private static let kinds: [FlowKind] = [.login, .registration, .recovery, .verification, .settings]

    /// Request bodies of up to 64 KiB whose values are too large to be stored without shortening them.
    private static let bodies: [JSONValue] = [
        .object(["method": "password", "identifier": .string(long), "password": "x"]),
        .object(["method": "password", "identifier": .string(String(repeating: "x", count: 320))]),
        .object([
            "method": "code", "identifier": .string(long), "email": .string(long), "code": .string(long),
        ]),
        .object(["method": "code", "email": .string(String(repeating: "x", count: 320))]),
        .object(["method": .string(long)]),
        .object([
            "method": "password", "password": .string(long),
            "traits": .object(["email": .string(long), "phone": .string(long), "name": .string(long)]),
        ]),
        .object([
            "method": "profile",
            "traits": .object(["email": "a@b.cc", "phone": "+46701000009", "name": .string(long)]),
        ]),
        .object(["method": "profile", "traits": .object([String(long.prefix(128)): "x"])]),
        .object([
            "method": "code",
            "traits": .object(["email": "a@b.cc", "phone": "+46701000009", "name": .string(long)]),
        ]),
        .object([long: "x"]), .string(long),
    ]

    @Test(arguments: kinds) func `A stored flow never exceeds 4 KiB, whatever the request contains`(
        _ kind: FlowKind
    )
        async throws
    {
        for style in [RegistrationStyle.unified, .profileFirst] {
            let server = try await SelfServiceServer {
                $0.registration.style = style
                $0.flows.returnURLs = ["https://app.example.com/"]
                $0.limits = .unlimited
            }
            let token =
                kind == .settings
                ? try await server.settingsToken() : nil
            let query =
                "?return_to=https://app.example.com/" + String(repeating: "y", count: 480)
                + "&z=" + String(repeating: "z", count: 14_000)
            for body in Self.bodies {
                let flow = await server.begin(kind, query, token: token)
                let answer = try await server.submit(kind, flow, body, token: token)
                #expect((400..<500).contains(answer.status) || answer.status == 200)
            }
            let sizes = try await rows(server).map(\.count)
            #expect(sizes.count >= Self.bodies.count)
            #expect(sizes.allSatisfy { $0 <= Self.limit }, "\(sizes.max() ?? 0)")
        }
    }

    @Test(arguments: [(1, 1, 1, 1), (2, 1, 0, 1), (2, 20, 0, 0)])
    func `Stored forms are limited to 1 KiB by dropping values and field messages`(
        values: Int,
        fields: Int,
        storedValues: Int,
        storedFields: Int
    ) {
        var form = Form(messages: [.noCodeAddress])
        for number in 0..<fields { form.refuse("traits.f\(number)", with: .missing("f\(number)")) }
        let texts = (0..<values).map { ("v\($0)", JSONValue.string(String(repeating: "x", count: 500))) }
        let bytes = StoredForm.encode(form, storing: Dictionary(uniqueKeysWithValues: texts))

        #expect(bytes.count <= FlowBounds.form)
        let stored = StoredForm.decode(bytes)
        #expect(stored.messages == [.noCodeAddress])
        #expect(stored.values.count == storedValues)
        #expect(stored.fieldMessages.count == storedFields)
    }

    @Test func `The values of a rejected login are not stored`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        for identifier in [
            "Stranger@Example.org", " PERSON1@example.org", String(repeating: "s", count: 400),
        ] {
            let flow = await server.begin(.login)
            let body: JSONValue = .object([
                "method": "password", "identifier": .string(identifier), "password": "wrong-Horse-7",
            ])
            let answer = try await server.submit(.login, flow, body)
            #expect(answer.status == 400)
            let shown = await server.get("/self-service/login/flows?id=\(flow)")
            #expect(shown.messages == answer.messages)
            #expect(shown.messages("identifier") == answer.messages("identifier"))
            #expect(shown.value("identifier") == "")
            #expect(try await !rowsHold(identifier.trimmed, server))
        }
        #expect(try await !rowsHold("wrong-Horse-7", server))
    }

    @Test func `Only the valid values of a rejected registration are stored`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        let body: JSONValue = .object([
            "method": "password", "password": "correct-Horse-7-battery",
            "traits": .object(["email": "no-at", "phone": "+46701000001", "name": "Kim"]),
        ])
        let answer = try await server.submit(.registration, flow, body)
        #expect(answer.value("traits.email") == "no-at")
        let shown = await server.get("/self-service/registration/flows?id=\(flow)")
        #expect(shown.value("traits.email") == nil)
        #expect(shown.messages("traits.email") == [.invalidEmail])
        #expect(shown.value("traits.phone") == "+46701000001")
        #expect(shown.value("traits.name") == "Kim")
        for secret in ["correct-Horse", "no-at"] { #expect(try await !rowsHold(secret, server)) }
    }

    @Test func `A form's text isn't stored but is generated in the language of each request`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.login)
        _ = try await server.submit(.login, flow, .object(["method": "password"]))
        let shown = await server.get(
            "/self-service/login/flows?id=\(flow)",
            headers: ["Accept-Language": "sv"]
        )
        #expect(shown.node("password")?["messages"]?.elements.first?["text"] == "Fyll i det här fältet.")
    }

    @Test func `At most 512 bytes of the request URL are stored`() async throws {
        let server = try await SelfServiceServer { $0.flows.returnURLs = ["https://app.example.com/"] }
        for filler in ["z", "é", "😀"] {
            let query =
                "?return_to=https://app.example.com/&identity_schema=customer&z="
                + String(repeating: filler, count: 700)
            let answer = await server.get("/self-service/login/api\(query)")
            let url = try #require(answer["request_url"]?.text)
            #expect((509...512).contains(url.utf8.count))
            #expect(!url.contains("\u{FFFD}"))
            #expect(answer["identity_schema"] == "customer")
        }
        // The URL is cut off right before the schema in the query.
        let cut = await server.get(
            "/self-service/login/api?return_to=https://app.example.com/&z="
                + String(repeating: "z", count: 600)
                + "&identity_schema=customer"
        )
        #expect(cut["identity_schema"] == "customer")
        let plain = await server.get("/self-service/login/api?z=" + String(repeating: "z", count: 14_000))
        #expect(plain["request_url"]?.text == "https://id.example.com/a/self-service/login/api")
    }

    @Test(arguments: ["customer", "person"])
    func `Starting a flow with a schema in the query doesn't store the flow`(_ schema: String) async throws {
        let server = try await SelfServiceServer()
        for kind in [FlowKind.login, .registration, .recovery, .verification] {
            let begun = await server.get("/self-service/\(kind.rawValue)/api?identity_schema=\(schema)")
            #expect(begun.status == 200)
            let id = try #require(begun["id"]?.text)
            let shown = await server.get("/self-service/\(kind.rawValue)/flows?id=\(id)")
            #expect(shown.body == begun.body)
            let names = kind == .login || kind == .registration
            #expect(shown["identity_schema"]?.text == (names ? schema : nil))
            #expect(
                begun["request_url"]?.text
                    == "https://id.example.com/a/self-service/\(kind.rawValue)/api?identity_schema=\(schema)"
            )
        }
        #expect(try await server.count("flows") == 0)
    }

    @Test func `A return address longer than 512 bytes is rejected`() async throws {
        let server = try await SelfServiceServer { $0.flows.returnURLs = ["https://app.example.com/"] }
        for (length, status) in [(512, 200), (513, 400)] {
            let address = "https://app.example.com/".padded(to: length)
            #expect(await server.get("/self-service/login/api?return_to=\(address)").status == status)
        }
    }

    @Test func `An identifier longer than 320 bytes is rejected`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "nick": {"type": "string", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema])
        for (length, status) in [(320, 200), (321, 400)] {
            let nick = "n".padded(to: length)
            let body: JSONValue = .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": .object(["nick": .string(nick)]),
            ])
            let answer = try await server.submit(.registration, await server.begin(.registration), body)
            #expect(answer.status == status)
            #expect(answer.messages("traits.nick") == (status == 200 ? [] : [.tooLong]))
            let login = try await server.login(nick)
            #expect(login.status == status)
            #expect(login.messages("identifier") == (status == 200 ? [] : [.tooLong]))
        }
        for kind in [FlowKind.recovery, .verification] {
            let flow = await server.begin(kind)
            let answer = try await server.submitCode(kind, flow, ["email": .string("e".padded(to: 321))])
            #expect(answer.status == 400)
            #expect(answer.messages("email") == [.tooLong])
        }
    }

    @Test(arguments: [(1280, true), (1281, false)])
    func `A registration in several steps stores at most 1280 bytes of traits`(
        bytes: Int,
        isStored: Bool
    ) async throws {
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": Self.biographies]) {
            $0.registration.style = .profileFirst
        }
        let flow = await server.begin(.registration)
        let body: JSONValue = .object(["method": "profile", "traits": Self.traits(bytes: bytes)])

        let answer = try await server.submit(.registration, flow, body)

        #expect(answer.messages == [isStored ? .chooseCredential : .validation])
        #expect(try await rowsHold("bbbbbbbb", server) == isStored)
    }

    @Test(arguments: [(768, true, true), (769, true, false), (769, false, true)])
    func `A change that waits for a verification stores at most 768 bytes of traits`(
        bytes: Int,
        waits: Bool,
        isAccepted: Bool
    ) async throws {
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": Self.biographies])
        let account: JSONValue = .object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object(["nick": "n"]),
        ])
        let opened = try await server.submit(.registration, await server.begin(.registration), account)
        let token = try #require(opened["session_token"]?.text)
        let flow = await server.begin(.settings, token: token)
        let traits = Self.traits(bytes: bytes, mail: waits ? "n@example.org" : nil)
        let body: JSONValue = .object(["method": "profile", "traits": traits])

        let answer = try await server.submit(.settings, flow, body, token: token)

        #expect(answer.status == (isAccepted ? 200 : 400), "\(answer.body)")
        #expect(answer.messages.contains(.validation) == !isAccepted)
    }

    private static let biographies = """
        {"type": "object", "properties": {"traits": {"type": "object", "properties": {
          "nick": {"type": "string", "ory.sh/kratos": {
            "credentials": {"password": {"identifier": true}}}},
          "mail": {"type": "string", "format": "email", "ory.sh/kratos": {"verification": {"via": "email"}}},
          "bio": {"type": "string"}}}}}
        """

    /// Returns traits whose JSON has the given size.
    private static func traits(bytes: Int, mail: String? = nil) -> JSONValue {
        let rest =
            bytes - #"{"nick":"n","bio":""}"#.utf8.count - (mail.map { #","mail":"\#($0)""#.utf8.count } ?? 0)
        var traits: [String: JSONValue] = ["nick": "n", "bio": .string(String(repeating: "b", count: rest))]
        traits["mail"] = mail.map { .string($0) }
        return .object(traits)
    }

    @Test func `Long runs of combining marks are rejected in any text`() async throws {
        let server = try await SelfServiceServer()
        let marks = "a" + BoundedTextTests.marks(31)
        let flow = await server.begin(.login)
        for member in ["method", "identifier", "password", "code"] {
            let answer = try await server.submit(.login, flow, .object([member: .string(marks)]))
            #expect(answer.messages == [.validation], "\(member)")
        }
        let form = QueryItems.encode(marks)
        for (name, value) in [("identifier", form), (form, "x")] {
            var request = HTTP.Request(
                .post,
                "/a/self-service/login",
                query: "flow=\(flow)",
                headers: ["Content-Type": "application/x-www-form-urlencoded"]
            )
            request.body = Array("method=password&\(name)=\(value)".utf8)
            #expect(await server.send(request).messages == [.validation])
        }
        for path in ["/self-service/login/api?x=\(form)", "/self-service/login/flows?id=\(form)"] {
            let answer = await server.get(path)
            #expect(answer.status == 400)
            #expect(answer["error"]?["reason"]?.text == CombiningMarks.reason)
        }
        #expect(await server.get("/sessions/whoami", headers: ["X-Session-Token": marks]).status == 400)
    }
}

extension SelfServiceServer {
    /// Registers a user and returns the token of the privileged session.
    fileprivate func settingsToken() async throws -> String {
        let flow = await begin(.registration)
        let body: JSONValue = .object([
            "method": "password", "password": .string(Self.password), "traits": Self.traits(),
        ])
        return try #require(try await submit(.registration, flow, body)["session_token"]?.text)
    }
}

extension String {
    fileprivate func padded(to length: Int) -> String {
        self + String(repeating: "x", count: length - utf8.count)
    }

    fileprivate var trimmed: String {
        String(drop { $0 == " " })
    }
}
