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

    @Test(arguments: [SessionStoreError.Code.locked, .failed])
    func `A memory store keeps its record while it simulates a failure`(_ code: SessionStoreError.Code) throws
    {
        let store = MemoryStore()
        let generation = try store.write([1], basedOn: 0)

        store.fail(with: SessionStoreError(code, message: "as asked"))
        guard case .unavailable(let error) = store.read() else {
            Issue.record("The store can be read even though it should fail.")
            return
        }
        #expect(error.code == code)
        #expect(throws: SessionStoreError.self) { try store.write([2], basedOn: generation) }
        #expect(throws: SessionStoreError.self) { try store.remove(basedOn: generation) }

        store.fail(with: nil)
        guard case .present([1], generation) = store.read() else {
            Issue.record("The record is missing.")
            return
        }
    }

    @Test func `A removal fails if the store fails for another reason than a lock`() throws {
        let store = MemoryStore()
        let generation = try store.write([1], basedOn: 0)

        store.fail(with: SessionStoreError(.failed, message: "as asked"))
        #expect(throws: SessionStoreError.self) { try store.remove() }
        #expect(!store.report.isErasurePending)

        store.fail(with: nil)
        guard case .present([1], generation) = store.read() else {
            Issue.record("The record is missing.")
            return
        }
    }

    @Test(arguments: [(1 << 20, true), (1 << 20 + 1, false)])
    func `A memory store accepts records of up to 1 MiB, like the other stores`(_ size: Int, isAccepted: Bool)
    {
        let bytes = [UInt8](repeating: 1, count: size)

        #expect(((try? MemoryStore().write(bytes, basedOn: 0)) != nil) == isAccepted)
    }
}
