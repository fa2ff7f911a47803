import Latchkey
import LatchkeyTestKit
import Testing

@Suite struct `Client storage` {
    private func client(_ choice: StorageChoice, store: (any SessionStore)? = nil) throws -> LatchkeyClient {
        try LatchkeyClient(server: "https://id.example", app: "storage") {
            $0.store = store
            $0.storage = choice
        }
    }

    @Test func `In-memory storage is reported as memory`() async throws {
        #expect(try await client(.memory).storage.level == .memory)
        #expect(try await client(.automatic, store: MemoryStore()).storage.level == .memory)
    }

    @Test func `A custom store is reported as other storage`() async throws {
        let report = try await client(.automatic, store: Silent()).storage

        #expect(report.level == .other)
        #expect(report.reason.contains("Silent"))
    }
}

private struct Silent: SessionStore {
    func read() -> StoredRecord { .absent }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 { 1 }

    func remove() throws(SessionStoreError) {}

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {}
}
