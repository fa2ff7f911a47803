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

@Suite("Schemas that are open for registration", .onEachDatabase)
struct RegistrationSchemaTests {
    private func begin(_ server: SelfServiceServer, _ schema: String?) async -> Answer {
        await server.get("/self-service/registration/api" + (schema.map { "?identity_schema=\($0)" } ?? ""))
    }

    /// Returns the response body without values that differ between requests.
    private func masked(_ answer: Answer) -> JSONValue {
        guard var members = answer.body.members, var error = members["error"]?.members else {
            return answer.body
        }
        error["request"] = nil
        members["error"] = .object(error)
        return .object(members)
    }

    @Test func `Only the default schema is open for registration unless the operator lists others`()
        async throws
    {
        let server = try await SelfServiceServer { $0.registration.schemas = [] }
        #expect(await begin(server, nil).status == 200)
        #expect(await begin(server, "person").status == 200)
        for schema in ["customer", "reader", "shopper", "business"] {
            #expect(await begin(server, schema).status == 400)
        }
    }

    @Test func `Users can only register with the schemas that the operator lists`() async throws {
        let server = try await SelfServiceServer { $0.registration.schemas = ["reader", "shopper"] }
        for schema in ["reader", "shopper"] { #expect(await begin(server, schema).status == 200) }
        for schema in [nil, "person", "customer"] { #expect(await begin(server, schema).status == 400) }
    }

    @Test func `A schema that is reserved for the operator can't be opened for registration`() async throws {
        let server = try await SelfServiceServer { $0.registration.schemas = ["person", "business"] }
        #expect(await begin(server, "business").status == 400)
    }

    @Test func `Closed schemas can't be distinguished from schemas that don't exist`() async throws {
        let server = try await SelfServiceServer { $0.registration.schemas = ["person"] }
        let closed = await begin(server, "customer")
        for schema in ["business", "nope", "../person"] {
            let answer = await begin(server, schema)
            #expect(answer.status == 400)
            #expect(answer.errorID == .flowDisabled)
            #expect(masked(answer) == masked(closed))
        }
        #expect(closed.status == 400)
    }

    @Test func `The schema is checked again when a flow is submitted`() async throws {
        let open = try await SelfServiceServer(schema: "customer") { $0.registration.schemas = ["customer"] }
        let flow = await open.begin(.registration)
        let closed = try await SelfServiceServer(schema: "customer") { $0.registration.schemas = ["person"] }
        // Both servers have the same key, so each of them accepts the other's flows as long as the flows
        // aren't stored in the database.
        let answer = try await closed.submit(.registration, flow, .object(["method": "password"]))
        #expect(answer.status == 400)
        #expect(answer.errorID == .flowDisabled)
    }

    @Test(arguments: ["customer", "business", "reader"])
    func `Users can log in even if registration is closed for their schema`(_ schema: String) async throws {
        let admin = try await AdminServer { $0.registration.schemas = ["person"] }
        let field = schema == "customer" ? #""phone": "+46709000001""# : #""email": "user@example.org""#
        let body = #"{"schema_id": "\#(schema)", "traits": {\#(field)}, \#(AdminServer.password)}"#
        let made = await admin.send(.post, "/admin/identities", body)
        #expect(made.status == 201, "\(made.body)")
        let identifier = schema == "customer" ? "+46709000001" : "user@example.org"
        #expect(try await admin.people.login(identifier).status == 200)
        #expect(await admin.people.get("/self-service/login/api?identity_schema=\(schema)").status == 200)
    }

    @Test func `Users can log in and change settings even if registration is closed for their schema`()
        async throws
    {
        let admin = try await AdminServer { $0.registration.schemas = ["person"] }
        let body = #"{"schema_id": "reader", "traits": {"email": "user@example.org"}}"#
        #expect(await admin.send(.post, "/admin/identities", body).status == 201)
        let token = try #require(
            try await admin.people.enter(.login, with: "user@example.org")["session_token"]?.text
        )
        let traits: [String: JSONValue] = ["email": "user@example.org", "display_name": "Ann"]
        #expect(try await admin.people.change(traits: traits, token: token)["state"] == "success")
    }
}

@Suite("Built-in reader schema", .onEachDatabase)
struct ReaderSchemaTests {
    @Test(arguments: [("email", "reader@example.org"), ("phone", "+46708888888")])
    func `A reader can sign up with a code for one address and without a password`(
        _ field: String,
        _ address: String
    )
        async throws
    {
        let server = try await SelfServiceServer(schema: "reader")
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object([field: .string(address)])
        let sent = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(sent["state"] == "sent_email")
        let code = JSONValue.string(try await server.code(for: address))
        let answer = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        #expect(answer.status == 200)
        #expect(await server.isAlive(answer["session_token"]?.text))
        #expect(try await server.count("passwords") == 0)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(try await server.identity(id).identifiers == [address])
        #expect(try await server.provers(of: address) == [id])
        #expect(try await server.enter(.login, with: address).status == 200)
        #expect(try await server.enter(.recovery, with: address)["state"] == "passed_challenge")
    }

    @Test(arguments: [[:], ["display_name": "Ann"]] as [[String: JSONValue]])
    func `Registering with a password requires an identifier`(_ traits: [String: JSONValue]) async throws {
        let server = try await SelfServiceServer(schema: "reader")
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password), "traits": .object(traits),
        ])
        let answer = try await server.submit(.registration, await server.begin(.registration), body)
        #expect(answer.status == 400)
        #expect(answer.messages("traits.email") == [.missing])
        #expect(try await server.count("identities") == 0)
    }

    @Test func `Registering with a code fails if there is no address to send it to`() async throws {
        let server = try await SelfServiceServer(schema: "reader")
        let traits: JSONValue = .object(["display_name": "Ann"])
        let flow = await server.begin(.registration)
        let answer = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(answer.status == 400)
        #expect(answer["state"] == "choose_method")
        #expect(try await server.count("codes") == 0)
    }

    @Test func `Users can register with a password and only one address`() async throws {
        let server = try await SelfServiceServer(schema: "reader")
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object(["phone": "+46708888888"]),
        ])
        #expect(try await server.submit(.registration, await server.begin(.registration), body).status == 200)
        #expect(try await server.login("+46708888888").status == 200)
    }
}

@Suite("Built-in shopper schema", .onEachDatabase)
struct ShopperSchemaTests {
    private let phone = "+46708888888"

    @Test func `Signing up with a code creates a session that doesn't require a certificate`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "shopper")
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object(["phone": .string(phone), "region": "SE"])
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: phone))
        let answer = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        #expect(answer.status == 200)
        #expect(await server.isAlive(answer["session_token"]?.text))
        #expect(try await server.provers(of: phone).count == 1)
        #expect(try await server.enter(.login, with: phone).status == 200)
    }

    @Test func `Registering with a password requires a phone number that was verified in the flow`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "shopper")
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object(["phone": .string(phone)]),
        ])
        let refused = try await server.submit(.registration, await server.begin(.registration), body)
        #expect(refused.status == 400)
        #expect(refused.messages("traits.phone") == [.addressNotVerified])
        #expect(try await server.count("identities") == 0)

        let other = try await server.beginRegistration(verified: "+46708888889")
        #expect(
            try await server.submit(.registration, other, body).messages("traits.phone") == [
                .addressNotVerified
            ]
        )

        let flow = try await server.beginRegistration(verified: phone)
        let answer = try await server.submit(.registration, flow, body)
        #expect(answer.status == 200)
        #expect(try await server.provers(of: phone).count == 1)
    }
}

@Suite("Unicode spellings of an address", .onEachDatabase)
struct AddressSpellingTests {
    private static let composed = "ren\u{E9}@example.org"
    private static let decomposed = "rene\u{301}@example.org"

    private func register(_ server: SelfServiceServer, _ mail: String, _ phone: String) async throws -> Answer
    {
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object(["email": .string(mail), "phone": .string(phone)]),
        ])
        return try await server.submit(.registration, await server.begin(.registration), body)
    }

    @Test(arguments: [
        (composed, decomposed), (decomposed, composed), (decomposed, "RENE\u{301}@example.org"),
    ])
    func `Canonically equivalent spellings are the same identifier`(_ first: String, _ second: String)
        async throws
    {
        let server = try await SelfServiceServer { $0.courier.mail.smtpUTF8 = true }
        #expect(try await register(server, first, "+46701000001").status == 200)
        let twin = try await register(server, second, "+46701000002")
        #expect(twin.status == 400)
        #expect(twin.messages == [.duplicateIdentifier])
        #expect(try await server.login(second).status == 200)
        // We compare the bytes because Swift's strings are compared by canonical equivalence.
        let stored = try await server.resources.database.rows(
            "SELECT identifier FROM identifiers WHERE identifier LIKE '%@%'"
        ).map { Array(try $0.text(0).utf8) }
        #expect(stored == [Array(Self.composed.utf8)])
    }

    @Test func `Codes can be requested with a canonically equivalent spelling of an address`() async throws {
        let server = try await SelfServiceServer { $0.courier.mail.smtpUTF8 = true }
        _ = try await register(server, Self.composed, "+46701000001")
        let flow = try await server.requestCode(.login, to: Self.decomposed)
        let code = JSONValue.string(try await server.code(for: Self.composed))
        let answer = try await server.submitCode(
            .login,
            flow,
            ["identifier": .string(Self.decomposed), "code": code]
        )
        #expect(answer.status == 200)
    }
}
