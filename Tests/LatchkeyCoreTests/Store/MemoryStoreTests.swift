import LatchkeyCore
import LatchkeyTestKit
import Testing

@Suite struct `Memory stores` {
    @Test func `A memory store conforms to SessionStore`() async {
        let store = MemoryStore()

        let sealing = { @Sendable (isLocked: Bool) in
            store.fail(with: isLocked ? SessionStoreError(.locked, message: "as asked") : nil)
        }
        let violations = await SessionStoreConformance(sealing: sealing) { store }.violations()
        #expect(violations == [])
    }

    @Test func `A memory store keeps its record while it simulates a failure`() throws {
        let store = MemoryStore()
        let generation = try store.write([1], basedOn: 0)

        store.fail(with: SessionStoreError(.locked, message: "as asked"))
        guard case .unavailable(let error) = store.read() else {
            Issue.record("The store can be read even though it should fail.")
            return
        }
        #expect(error.code == .locked)
        #expect(throws: SessionStoreError.self) { try store.write([2], basedOn: generation) }
        #expect(throws: SessionStoreError.self) { try store.remove() }

        store.fail(with: nil)
        guard case .present([1], generation) = store.read() else {
            Issue.record("The record is missing.")
            return
        }
    }
}
