import LatchkeyWire

/// A client that uses real sockets to register and log in users with the schema `person`.
struct PersonClient: Sendable {
    private let client: FlowClient

    init(_ url: String) throws {
        client = try FlowClient(url)
    }

    /// Registers a user and returns whether the server acknowledged this.
    func register(_ person: Int) async -> Bool {
        await submit(
            "registration",
            .object([
                "method": .string("password"), "password": .string(Self.password(person)),
                "traits": .object([
                    "email": .string(Self.email(person)), "phone": .string(Self.phone(person)),
                ]),
            ])
        )
    }

    /// Logs in and returns whether the login succeeded.
    func logIn(_ person: Int, with identifier: (Int) -> String = Self.email) async -> Bool {
        await submit(
            "login",
            .object([
                "method": .string("password"), "identifier": .string(identifier(person)),
                "password": .string(Self.password(person)),
            ])
        )
    }

    /// Requests a code for a phone number and returns whether the server acknowledged this.
    func requestCode(_ phone: String) async -> Bool {
        guard let flow = await client.begin("registration") else { return false }
        return await client.startPhoneVerification(phone, in: flow)?.status == 201
    }

    static func email(_ person: Int) -> String { "person\(person)@example.org" }

    static func phone(_ person: Int) -> String { "+49\(1_000_000 + person)" }

    private static func password(_ person: Int) -> String { "Kept-Through-Crashes-\(person)" }

    private func submit(_ kind: String, _ body: JSONValue) async -> Bool {
        guard let flow = await client.begin(kind) else { return false }
        return await client.submit(kind, flow, body)?.status == 200
    }
}
