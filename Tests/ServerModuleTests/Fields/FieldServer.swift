import LatchkeyAccounts
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServer
import LatchkeyWire
import Testing

/// A server for readers, with the client `shop` that requires fields.
struct FieldServer: Sendable {
    /// A birthday, and a display name with a length.
    static let usual = #"""
        {"name": "birthday", "minimum_age": 18}, {"name": "display_name", "minimum_length": 3}, \#
        {"name": "name.given", "required": false, "minimum_length": 2}
        """#
    static let mail = "ann@example.org"

    let admin: AdminServer
    var server: SelfServiceServer { admin.people }

    init(
        _ fields: String = usual,
        isBlocking: Bool = false,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        admin = try await AdminServer(schema: "reader", change)
        try await register(fields, isBlocking: isBlocking)
    }

    /// Registers a client with required fields.
    func register(_ fields: String, isBlocking: Bool = false, as id: String = "shop") async throws {
        let answer = await admin.send(
            .post,
            "/admin/clients",
            #"{"client_id": "\#(id)", "latchkey": \#(Self.members(fields, isBlocking: isBlocking))}"#
        )
        #expect(answer.status == 201, "\(answer.reason)")
        await server.assembly.tokens.keys.stop()
    }

    /// Replaces a client's required fields.
    func replace(_ fields: String, isBlocking: Bool = false, of id: String = "shop") async throws {
        let answer = await admin.send(
            .put,
            "/admin/clients/\(id)",
            #"{"latchkey": \#(Self.members(fields, isBlocking: isBlocking))}"#
        )
        #expect(answer.status == 200, "\(answer.reason)")
    }

    private static func members(_ fields: String, isBlocking: Bool) -> String {
        #"{"required_fields": [\#(fields)], "blocking": [\#(isBlocking ? #""required_fields""# : "")]}"#
    }

    /// Returns traits with an e-mail address and other members.
    static func traits(_ others: [String: JSONValue] = [:]) -> JSONValue {
        .object(others.merging(["email": .string(mail)]) { own, _ in own })
    }

    /// Submits a registration with a password.
    func signUp(_ traits: JSONValue = traits(), query: String = "") async throws -> Answer {
        try await server.submit(
            .registration,
            await server.begin(.registration, query),
            .object(["method": "password", "password": .string(SelfServiceServer.password), "traits": traits])
        )
    }

    /// Logs in with a password, and returns the session token.
    func logIn(_ query: String = "?client_id=shop") async throws -> Answer {
        try await server.submit(
            .login,
            await server.begin(.login, query),
            .object([
                "method": "password", "identifier": .string(Self.mail),
                "password": .string(SelfServiceServer.password),
            ])
        )
    }

    /// Signs up without a client, logs in at the shop, and returns the session token.
    func enter(_ traits: JSONValue = traits(), query: String = "?client_id=shop") async throws -> String {
        let answer = try await signUp(traits)
        #expect(answer.status == 200, "\(answer.reason)")
        return try #require(try await logIn(query).sessionToken)
    }

    /// Returns the fields of the duty `complete_profile`, or `nil` if there is none, and whether it blocks.
    func duty(_ token: String) async -> (fields: [String], isBlocking: Bool)? {
        let duties = await server.get("/sessions/whoami", token: token)["duties"]?.elements ?? []
        guard let duty = duties.first(where: { $0["kind"] == "complete_profile" }) else { return nil }
        return (duty["fields"]?.elements.compactMap(\.text) ?? [], duty["blocking"] == true)
    }

    /// Submits new traits in a settings flow.
    func change(_ traits: JSONValue, _ token: String) async throws -> Answer {
        try await server.change(traits: traits.members ?? [:], token: token)
    }
}
