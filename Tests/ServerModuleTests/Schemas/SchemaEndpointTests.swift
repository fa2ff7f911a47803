import LatchkeyAccounts
import LatchkeyWire
import Testing

@Suite struct `Identity schema routes` {
    @Test func `The schema that an identity links to can be downloaded`() async throws {
        let server = try await SelfServiceServer()
        let url = try #require(try await server.register()["identity"]?["schema_url"]?.text)
        let prefix = "https://id.example.com/a"
        #expect(url.hasPrefix(prefix))
        let answer = await server.get(String(url.dropFirst(prefix.utf8.count)))
        #expect(answer.status == 200)
        #expect(answer["title"] == "Person")
    }

    @Test(arguments: [("customer", 200), ("Y3VzdG9tZXI", 200), ("nope", 404), ("%", 404)])
    func `Schemas can be found by id`(_ id: String, _ status: Int) async throws {
        let server = try await SelfServiceServer()
        let answer = await server.get("/schemas/\(id)")
        #expect(answer.status == status)
        #expect(answer["title"] == (status == 200 ? "Customer" : nil))
    }

    @Test func `All schemas are listed`() async throws {
        let server = try await SelfServiceServer()
        guard case .array(let schemas) = await server.get("/schemas").body else {
            Issue.record("no list")
            return
        }
        #expect(schemas.map { $0["id"] } == ["business", "customer", "person", "reader", "shopper"])
        #expect(
            schemas.map { $0["schema"]?["title"] }
                == ["Business user", "Customer", "Person", "Reader", "Shopper"]
        )
    }
}
