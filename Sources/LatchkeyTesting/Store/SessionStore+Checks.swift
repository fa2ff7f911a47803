import LatchkeyCore

extension SessionStore {
    /// Returns whether a write based on the given generation fails with `conflict`.
    ///
    /// If the write succeeds, the record then contains the single byte 0xFF.
    func conflicts(basedOn generation: UInt64) -> Bool {
        do {
            _ = try write([0xFF], basedOn: generation)
            return false
        } catch {
            return error.code == .conflict
        }
    }

    /// Returns whether removing the record with the given generation fails with `conflict`.
    ///
    /// If there is no conflict, the record is removed.
    func removalConflicts(basedOn generation: UInt64) -> Bool {
        do {
            try remove(basedOn: generation)
            return false
        } catch {
            return error.code == .conflict
        }
    }

    /// Returns whether a write that is no longer wanted fails with `conflict`.
    ///
    /// The closure always returns `false`, so a store must not even begin the write.
    func refusesWithdrawn(basedOn generation: UInt64) -> Bool {
        do {
            _ = try write([0xFF], basedOn: generation, while: { false })
            return false
        } catch {
            return error.code == .conflict
        }
    }

    /// Returns whether the store throws an error when it is asked to replace the given generation.
    func refuses(basedOn generation: UInt64) -> Bool {
        (try? write([0xFF], basedOn: generation)) == nil
    }

    /// Increments the record's first byte.
    ///
    /// After a conflict, this method tries again as long as there is a record.
    ///
    /// If the store is locked, this method tries again up to five times.
    ///
    /// The first byte wraps around after 255, and an empty record becomes the single byte 1. All bytes after
    /// the first one are dropped.
    ///
    /// - Returns: The error if the increment failed, or `nil` if it succeeded.
    func increment() -> SessionStoreError? {
        var refusals = 0
        while true {
            let failure: SessionStoreError
            switch read() {
            case .absent:
                return SessionStoreError(.failed, message: "There is no record.")
            case .unavailable(let error):
                return SessionStoreError(error.code, message: "The record cannot be read: \(error.message)")
            case .present(let bytes, let generation):
                do {
                    _ = try write([(bytes.first ?? 0) &+ 1], basedOn: generation)
                    return nil
                } catch {
                    failure = error
                }
            }
            // Each conflict is caused by another change, and there is a limited number of changes, so the
            // loop terminates.
            if failure.code == .conflict { continue }
            guard failure.code == .locked, refusals < 5 else { return failure }
            refusals += 1
        }
    }
}

extension StoredRecord {
    /// Whether the store reports that there is no record.
    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// Whether the store couldn't determine whether there is a record.
    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }

    /// Returns whether the store reports exactly these bytes and exactly this generation.
    func isPresent(_ bytes: [UInt8], generation: UInt64) -> Bool {
        if case .present(bytes, generation) = self { true } else { false }
    }
}
