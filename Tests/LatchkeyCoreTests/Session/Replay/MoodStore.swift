import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit

/// A store that uses tombstones and, like the store in the explorer's model, can be locked or made to fail.
final class MoodStore: SessionStore {
    fileprivate struct State {
        var mood = ModelState.StoreCondition.available
        var record: (bytes: [UInt8], generation: UInt64)?
        var lastGeneration: UInt64 = 0
        var tombstone: UInt64 = 0
    }

    private let state = Locked(State())

    /// The stored record.
    ///
    /// Tests can use this property even while the store is set to fail.
    var record: (bytes: [UInt8], generation: UInt64)? { state.withLock { $0.record } }

    func set(_ mood: ModelState.StoreCondition) {
        state.withLock { state in
            state.mood = mood
            if mood == .available, let record = state.record, record.generation <= state.tombstone {
                state.record = nil
            }
        }
    }

    func read() -> StoredRecord {
        state.withLock { state in
            let isDead = state.record.map { $0.generation <= state.tombstone } ?? false
            switch state.mood {
            case .failing: return .unavailable(SessionStoreError(.failed, message: "The store fails."))
            case .locked:
                return isDead
                    ? .absent : .unavailable(SessionStoreError(.locked, message: "The store is locked."))
            case .available:
                return state.record.map { .present($0.bytes, generation: $0.generation) } ?? .absent
            }
        }
    }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try state.withLock { (state) throws(SessionStoreError) in
            try state.requireFine()
            guard generation == state.record?.generation ?? 0 else {
                throw SessionStoreError(.conflict, message: "The record has changed.")
            }
            state.lastGeneration += 1
            state.record = (bytes, state.lastGeneration)
            return state.lastGeneration
        }
    }

    func remove() throws(SessionStoreError) {
        try state.withLock { (state) throws(SessionStoreError) in
            switch state.mood {
            case .failing: throw SessionStoreError(.failed, message: "The store fails.")
            case .locked: state.tombstone = state.record?.generation ?? state.tombstone
            case .available: state.record = nil
            }
        }
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try state.withLock { (state) throws(SessionStoreError) in
            try state.requireFine()
            guard state.record?.generation == generation else {
                throw SessionStoreError(.conflict, message: "The record has changed.")
            }
            state.record = nil
        }
    }
}

extension MoodStore.State {
    fileprivate func requireFine() throws(SessionStoreError) {
        switch mood {
        case .available: break
        case .locked: throw SessionStoreError(.locked, message: "The store is locked.")
        case .failing: throw SessionStoreError(.failed, message: "The store fails.")
        }
    }
}
