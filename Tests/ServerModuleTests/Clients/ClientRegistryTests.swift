import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

@Suite(.onEachDatabase) struct `Client registry` {
    private let database: CountingDatabase
    private let time = VirtualTime()
    private let registry: ClientRegistry
    /// The registry of another node.
    private let other: ClientRegistry

    init() async throws {
        database = CountingDatabase(try await TestDatabase.current.open(time: time))
        registry = ClientRegistry(database: database, time: time)
        other = ClientRegistry(database: database, time: time)
    }

    private func client(_ id: String, name: String = "", disabled: Bool = false) throws -> OAuthClient {
        let own = OrderedJSON.object([OrderedJSON.Member(name: "disabled", value: .bool(disabled))])
        let json = OrderedJSON.object([
            OrderedJSON.Member(name: "client_name", value: .string(name)),
            OrderedJSON.Member(name: "latchkey", value: own),
        ])
        return OAuthClient(
            id: id,
            metadata: try ClientMetadata(json, rules: nil),
            secrets: ClientSecrets(.generated([1])),
            createdAt: time.now,
            updatedAt: time.now
        )
    }

    private func insert(_ ids: String...) async throws {
        let clients = try ids.map { try client($0) }
        try await database.transaction { [registry] transaction in
            for client in clients {
                _ = try ClientRepository.insert(client, in: transaction)
                try registry.forget(client.id, after: transaction)
            }
        }
    }

    private func rename(_ id: String, to name: String) async throws {
        let client = try client(id, name: name)
        try await database.transaction { [registry] transaction in
            try ClientRepository.update(client, in: transaction)
            try registry.forget(id, after: transaction)
        }
    }

    /// Returns how often the database is read to look up a client, which must exist or not.
    private func reads(_ id: String, exists: Bool = true) async throws -> Int {
        try await database.counts {
            let client = try await registry.client(id)
            #expect((client != nil) == exists)
        }.reads
    }

    @Test func `A client is read once in four seconds`() async throws {
        try await insert("shop")

        #expect(try await reads("shop") == 1)
        for _ in 0..<10 { #expect(try await reads("shop") == 0) }
        time.advance(by: .milliseconds(3999))
        #expect(try await reads("shop") == 0)
        time.advance(by: .milliseconds(1))
        #expect(try await reads("shop") == 1)
    }

    @Test func `A change is effective on the same node at once, and on others within five seconds`()
        async throws
    {
        try await insert("shop")
        _ = try await (registry.client("shop"), other.client("shop"))

        try await rename("shop", to: "New")

        #expect(try await registry.client("shop")?.metadata.name == "New")
        #expect(try await other.client("shop")?.metadata.name == "")
        time.advance(by: ClientRegistry.lifespan)
        #expect(try await other.client("shop")?.metadata.name == "New")
        #expect(ClientRegistry.lifespan < .seconds(5))
    }

    @Test func `The cache doesn't depend on the wall clock`() async throws {
        try await insert("shop")
        _ = try await other.client("shop")
        try await rename("shop", to: "New")

        time.stepWallClock(by: .seconds(-3600))
        time.advance(by: ClientRegistry.lifespan)

        #expect(try await other.client("shop")?.metadata.name == "New")
    }

    @Test func `A change that is rolled back doesn't empty the cache`() async throws {
        struct Failure: Error {}
        try await insert("shop")
        _ = try await registry.client("shop")

        await #expect(throws: Failure.self) {
            try await database.transaction { [registry] transaction in
                try registry.forget("shop", after: transaction)
                throw Failure()
            }
        }

        #expect(try await reads("shop") == 0)
    }

    @Test func `A read that a change has overtaken isn't cached`() async throws {
        try await insert("shop")
        let slow = HeldDatabase(database)
        let registry = ClientRegistry(database: slow, time: time)
        let new = try client("shop", name: "New")

        let reading = Task { try await registry.client("shop") }
        // The read has its result, but hasn't returned it yet.
        await slow.waitForRead()
        try await slow.transaction { transaction in
            try ClientRepository.update(new, in: transaction)
            try registry.forget("shop", after: transaction)
        }
        slow.release()

        #expect(try await reading.value?.metadata.name == "")
        #expect(try await registry.client("shop")?.metadata.name == "New")
    }

    @Test func `A disabled client isn't found, and is cached like any other`() async throws {
        let disabled = try client("shop", disabled: true)
        try await database.transaction { transaction in
            _ = try ClientRepository.insert(disabled, in: transaction)
        }

        #expect(try await reads("shop", exists: false) == 1)
        #expect(try await reads("shop", exists: false) == 0)
    }

    @Test func `Unknown and impossible ids aren't cached, and the latter aren't read`() async throws {
        #expect(try await reads("x", exists: false) == 1)
        #expect(registry.cachedCount == 0)
        for id in ["", ".", "a b", "a\u{0}b", "ä", String(repeating: "a", count: 256)] {
            #expect(try await reads(id, exists: false) == 0)
        }
        try await insert("x")
        #expect(try await registry.client("x") != nil)
    }

    @Test func `The cache is bounded, and the oldest entry makes room`() async throws {
        let count = ClientRegistry.mostEntries + 2
        let clients = try (0..<count).map { try client("c\($0)") }
        try await database.transaction { transaction in
            for client in clients { _ = try ClientRepository.insert(client, in: transaction) }
        }
        for number in 0..<count {
            time.advance(by: .microseconds(1))
            _ = try await registry.client("c\(number)")
        }

        #expect(registry.cachedCount == ClientRegistry.mostEntries)
        #expect(try await reads("c2") == 0)
        #expect(try await reads("c0") == 1)
        time.advance(by: ClientRegistry.lifespan)
        _ = try await registry.client("c1")
        #expect(registry.cachedCount == 1)
    }
}
