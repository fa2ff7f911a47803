import LatchkeyCore
import LatchkeyModel
import LatchkeyTesting
import Testing

@Suite struct `Session store conformance` {
    @Test func `A store that leaves a tombstone when it removes its item passes the checks`() async {
        let item = KeychainItem()

        let violations = await SessionStoreConformance(interrupting: { item.interrupt(with: $0) }) {
            KeychainLikeStore(item: item, leavesTombstones: true)
        }.violations()

        #expect(violations == [])
    }

    @Test func `A storage that doesn't report its operations fails the check of removals between them`() async
    {
        let item = KeychainItem()

        let violations = await SessionStoreConformance(interrupting: { _ in }) {
            KeychainLikeStore(item: item, leavesTombstones: true)
        }.violations()

        #expect(violations == ["A removal that begins between two steps of a write is final."])
    }

    @Test func `A store that deletes its item fails the check of removals between two steps`() async {
        let item = KeychainItem()

        let violations = await SessionStoreConformance(interrupting: { item.interrupt(with: $0) }) {
            KeychainLikeStore(item: item, leavesTombstones: false)
        }.violations()

        #expect(violations == ["A removal that begins between two steps of a write is final."])
    }
}

/// An item of a keychain.
///
/// Each operation is atomic, and other processes can change the item between two of them.
private final class KeychainItem: Sendable {
    struct Value: Sendable {
        /// The record, or `nil` for a tombstone.
        let bytes: [UInt8]?
        let generation: UInt64
    }

    private struct State {
        var value: Value?
        var lastGeneration: UInt64 = 0
        var interruption: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    func interrupt(with interruption: (@Sendable () -> Void)?) {
        state.withLock { $0.interruption = interruption }
    }

    func read() -> Value? {
        begin()
        return state.withLock { $0.value }
    }

    /// Adds the item and returns its generation, or `nil` if it exists already.
    func add(_ bytes: [UInt8]?) -> UInt64? {
        begin()
        return state.withLock { $0.value == nil ? Self.set(bytes, in: &$0) : nil }
    }

    /// Replaces the item and returns its generation, or `nil` if it doesn't exist or has another generation.
    func update(_ bytes: [UInt8]?, basedOn generation: UInt64? = nil) -> UInt64? {
        begin()
        return state.withLock { state in
            guard let value = state.value, generation == nil || value.generation == generation else {
                return nil
            }
            return Self.set(bytes, in: &state)
        }
    }

    /// Deletes the item and returns whether it existed and had the generation.
    @discardableResult func delete(basedOn generation: UInt64? = nil) -> Bool {
        begin()
        return state.withLock { state in
            guard let value = state.value, generation == nil || value.generation == generation else {
                return false
            }
            state.value = nil
            return true
        }
    }

    private static func set(_ bytes: [UInt8]?, in state: inout State) -> UInt64 {
        state.lastGeneration += 1
        state.value = Value(bytes: bytes, generation: state.lastGeneration)
        return state.lastGeneration
    }

    private func begin() {
        state.withLock { $0.interruption }?()
    }
}

/// A store as it would be written for a keychain, which has no locks but compares generations.
private struct KeychainLikeStore: SessionStore {
    private static let conflict = SessionStoreError(.conflict, message: "The record has changed.")

    let item: KeychainItem
    let leavesTombstones: Bool

    func read() -> StoredRecord {
        guard let value = item.read(), let bytes = value.bytes else { return .absent }
        return .present(bytes, generation: value.generation)
    }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        let written: UInt64?
        if generation != 0 {
            let current = item.read()
            written = current?.bytes == nil ? nil : item.update(bytes, basedOn: generation)
        } else if let value = item.read() {
            written = value.bytes == nil ? item.update(bytes, basedOn: value.generation) : nil
        } else {
            written = item.add(bytes)
        }
        guard let written else { throw Self.conflict }
        return written
    }

    func remove() throws(SessionStoreError) {
        guard leavesTombstones else {
            item.delete()
            return
        }
        while item.update(nil) == nil, item.add(nil) == nil {}
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        let isRemoved: Bool
        if leavesTombstones {
            isRemoved = item.read()?.bytes != nil && item.update(nil, basedOn: generation) != nil
        } else {
            isRemoved = item.delete(basedOn: generation)
        }
        guard isRemoved else { throw Self.conflict }
    }
}
