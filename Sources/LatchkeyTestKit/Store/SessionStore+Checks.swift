import LatchkeyCore

extension SessionStore {
    func conflicts(basedOn generation: UInt64) -> Bool {
        do {
            _ = try write([0xFF], basedOn: generation)
            return false
        } catch {
            return error.code == .conflict
        }
    }

    func removalConflicts(basedOn generation: UInt64) -> Bool {
        do {
            try remove(basedOn: generation)
            return false
        } catch {
            return error.code == .conflict
        }
    }

    /// Whether a write that is no longer wanted is a conflict.
    func refusesWithdrawn(basedOn generation: UInt64) -> Bool {
        do {
            _ = try write([0xFF], basedOn: generation, while: { false })
            return false
        } catch {
            return error.code == .conflict
        }
    }

    func refuses(basedOn generation: UInt64) -> Bool {
        (try? write([0xFF], basedOn: generation)) == nil
    }

    /// Adds one to the record's first byte, as often tried as it takes while there is a record.
    ///
    /// A store that is locked for long is asked again a few times.
    ///
    /// - Returns: Why it was not done; `nil` if it was.
    func increment() -> SessionStoreError? {
        var refusals = 0
        while true {
            let failure: SessionStoreError
            switch read() {
            case .absent:
                return SessionStoreError(.failed, "The record is absent.")
            case .unavailable(let error):
                return SessionStoreError(error.code, "The record cannot be read: \(error.message)")
            case .present(let bytes, let generation):
                do {
                    _ = try write([(bytes.first ?? 0) &+ 1], basedOn: generation)
                    return nil
                } catch {
                    failure = error
                }
            }
            // With each conflict another change was made, and there are only so many.
            if failure.code == .conflict { continue }
            guard failure.code == .locked, refusals < 5 else { return failure }
            refusals += 1
        }
    }
}

extension StoredRecord {
    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }

    func isPresent(_ bytes: [UInt8], _ generation: UInt64) -> Bool {
        if case .present(bytes, generation) = self { true } else { false }
    }
}
