import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire

/// A client that registers and logs in users of the schema `person` over real sockets.
struct PersonClient: Sendable {
    private let transport: any Transport
    private let url: String

    init(_ url: String) throws {
        transport = try CurlTransport()
        self.url = url
    }

    /// Registers a user and returns whether the server acknowledged it.
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

    /// Logs in and returns whether the server accepted it.
    func logIn(_ person: Int, with identifier: (Int) -> String = Self.email) async -> Bool {
        await submit(
            "login",
            .object([
                "method": .string("password"), "identifier": .string(identifier(person)),
                "password": .string(Self.password(person)),
            ])
        )
    }

    /// Requests a code for a phone number and returns whether the server acknowledged it.
    func askForCode(_ phone: String) async -> Bool {
        guard
            let begun = try? await transport.send(
                HTTPRequest(.get, "/a/self-service/registration/api"),
                to: url
            ),
            let flow = try? JSONCoding.decode(JSONValue.self, from: begun.body)["id"]?.text,
            let bytes = try? JSONCoding.encode(
                JSONValue.object([
                    "phoneNumber": .string(phone), "phoneType": .string("PRIMARY"), "flowId": .string(flow),
                    "flowType": .string("REGISTRATION"),
                ])
            )
        else { return false }
        let request = HTTPRequest(
            .post,
            "/identity/verification/flow/phone",
            headers: ["Content-Type": "application/json"],
            body: bytes
        )
        return (try? await transport.send(request, to: url))?.status == 201
    }

    static func email(_ person: Int) -> String { "person\(person)@example.org" }

    static func phone(_ person: Int) -> String { "+49\(1_000_000 + person)" }

    private static func password(_ person: Int) -> String { "Kept-Through-Crashes-\(person)" }

    private func submit(_ kind: String, _ body: JSONValue) async -> Bool {
        guard
            let begun = try? await transport.send(HTTPRequest(.get, "/a/self-service/\(kind)/api"), to: url),
            let flow = try? JSONCoding.decode(JSONValue.self, from: begun.body)["id"]?.text,
            let bytes = try? JSONCoding.encode(body)
        else { return false }
        let request = HTTPRequest(
            .post,
            "/a/self-service/\(kind)",
            query: "flow=\(flow)",
            headers: ["Content-Type": "application/json"],
            body: bytes
        )
        return (try? await transport.send(request, to: url))?.status == 200
    }
}
