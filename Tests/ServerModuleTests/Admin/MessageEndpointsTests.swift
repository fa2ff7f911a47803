import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Message administration` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private func send(to address: String) async throws {
        let flow = await server.people.begin(.recovery)
        _ = try await server.people.submitCode(.recovery, flow, ["email": .string(address)])
        await server.people.messagesAreSent()
    }

    @Test func `A message's recipient, template and status are shown, but not its content`() async throws {
        try await server.people.register(1)
        try await send(to: "person1@example.org")
        let code = try await server.people.code(for: "person1@example.org")

        let list = await server.send(
            .get,
            "/admin/courier/messages?recipient=PERSON1@example.org&status=sent"
        )
        let entry = try #require(
            list.entries.first { $0["template_type"]?.text?.hasPrefix("recovery") == true }
        )
        #expect(entry["type"] == "email")
        #expect(entry["channel"] == "email")
        #expect(entry["recipient"] == "person1@example.org")
        #expect((entry["body"], entry["subject"]) == ("", ""))
        #expect(entry["send_count"] == .integer(1))
        #expect(!String(decoding: list.response.body, as: UTF8.self).contains(code))
        let whole = await server.send(.get, "/admin/courier/messages/\(entry["id"]?.text ?? "")")
        #expect(whole["status"] == "sent")
        #expect(whole["dispatches"] == .array([]))
        #expect(
            await server.send(.get, "/admin/courier/messages?recipient=other@example.org").entries.isEmpty
        )
        #expect(await server.send(.get, "/admin/courier/messages?status=abandoned").entries.isEmpty)
    }

    @Test func `Decoy messages are not listed`() async throws {
        try await send(to: "unknown@example.org")

        #expect(await server.send(.get, "/admin/courier/messages").entries.isEmpty)
        #expect(try await server.database.rows("SELECT COUNT(*) FROM messages").first?.integer(0) == 1)
    }

    @Test(arguments: [
        ("?status=odd", 400), ("?page_size=x", 400), ("?page_token=x", 400), ("/zz", 400),
        ("/9a8cbfb3-87bd-4087-b48d-2569b1b43386", 404), ("", 200),
    ])
    func `Filters, pages and ids are validated as in Kratos`(path: String, status: Int) async {
        #expect(await server.send(.get, "/admin/courier/messages" + path).status == status)
    }
}
