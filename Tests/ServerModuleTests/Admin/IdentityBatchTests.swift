import LatchkeyModel
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Creating identities in batches` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private func send(_ items: [String]) async -> [JSONValue] {
        let body = #"{"identities": [\#(items.joined(separator: ", "))]}"#
        let answer = await server.send(.patch, "/admin/identities", body)
        #expect(answer.status == 200)
        if case .array(let items)? = answer["identities"] { return items }
        return []
    }

    @Test
    func `Identities in a batch are created or rejected independently, and responses are in request order`()
        async throws
    {
        await server.create(3)
        let patch = "9a8cbfb3-87bd-4087-b48d-2569b1b43386"
        let outcomes = await send([
            #"{"create": \#(AdminServer.body(1)), "patch_id": "\#(patch)"}"#,
            #"{"create": \#(AdminServer.body(3))}"#,
            #"{"create": {"schema_id": "person", "traits": {"email": "x"}}}"#,
            "{}",
            #"{"create": \#(AdminServer.body(4)), "patch": "\#(patch)"}"#,
            #"{"create": \#(AdminServer.body(4)), "patch_id": "4"}"#,
            #"{"create": \#(AdminServer.body(2))}"#,
        ])

        let codes: [JSONValue?] = [nil, .integer(409)] + Array(repeating: .integer(400), count: 4) + [nil]
        #expect(outcomes.map { $0["action"] } == codes.map { $0 == nil ? "create" : "error" })
        #expect(outcomes.map { $0["error"]?["code"] } == codes)
        #expect(outcomes.first?["patch_id"]?.text == patch)
        let id = try #require(outcomes.last?["identity"]?.text)
        #expect(await server.send(.get, "/admin/identities/\(id)").status == 200)
        #expect(try await server.people.count("identities") == 3)
    }

    @Test func `Duplicates within a batch are only created once`() async throws {
        let numbers = (1...40).map { $0 % 20 + 1 }
        let outcomes = await send(numbers.map { #"{"create": \#(AdminServer.body($0))}"# })

        #expect(outcomes.filter { $0["action"] == "create" }.count == 20)
        #expect(try await server.people.count("identities") == 20)
    }

    @Test func `A batch can contain at most a thousand identities`() async {
        let many = "[" + Array(repeating: "{}", count: 1001).joined(separator: ",") + "]"
        for body in [
            "{}", "[]", #"{"identities": 7}"#, #"{"identities": \#(many)}"#, #"{"identities": [], "x": 1}"#,
        ] {
            #expect(await server.send(.patch, "/admin/identities", body).status == 400)
        }
    }
}
