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

    func refuses(basedOn generation: UInt64) -> Bool {
        (try? write([0xFF], basedOn: generation)) == nil
    }

    /// Adds one to the record's first byte, as often tried as it takes while there is a record.
    ///
    /// - Returns: Whether it was done; a store that is busy for long is asked again a few times.
    func increment() -> Bool {
        var refusals = 0
        for _ in 0..<100_000 {
            guard case .present(let bytes, let generation) = read(), let byte = bytes.first else {
                return false
            }
            do {
                _ = try write([byte &+ 1], basedOn: generation)
                return true
            } catch {
                if error.code == .locked, refusals < 5 {
                    refusals += 1
                } else if error.code != .conflict {
                    return false
                }
            }
        }
        return false
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
