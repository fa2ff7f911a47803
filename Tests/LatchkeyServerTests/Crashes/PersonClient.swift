import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire

/// Registers and logs in people of the `person` schema over real sockets.
struct PersonClient: Sendable {
    private let transport: any Transport
    private let url: String

    init(_ url: String) throws {
        transport = try CurlTransport()
        self.url = url
    }

    /// Registers a person; tells whether the server said that it is done.
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

    /// Logs in; tells whether the server let the person in.
    func logIn(_ person: Int, with identifier: (Int) -> String = Self.email) async -> Bool {
        await submit(
            "login",
            .object([
                "method": .string("password"), "identifier": .string(identifier(person)),
                "password": .string(Self.password(person)),
            ])
        )
    }

    /// Asks for a code for a phone number; tells whether the server said that it is on its way.
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
