import Latchkey
import LatchkeyTestKit
import Testing

@Suite struct `Storage of a client` {
    private func client(_ choice: StorageChoice, store: (any SessionStore)? = nil) throws -> LatchkeyClient {
        try LatchkeyClient(server: "https://id.example", app: "storage", store: store, storage: choice)
    }

    @Test func `The storage is reported as memory when the app chooses it`() async throws {
        #expect(try await client(.memory).storage.level == .memory)
        #expect(try await client(.automatic, store: MemoryStore()).storage.level == .memory)
    }

    @Test func `The storage is reported as other if the app provides its own store`() async throws {
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
