import LatchkeyModel

/// The rotation schedule for access token signing keys.
///
/// Each key is published before it signs, and is retained until the tokens that it signed have expired.
///
/// The changes depend only on the stored keys and the given time, so nodes with the same settings and secrets
/// get the same result.
struct KeyRotation: Sendable {
    /// The properties of a key that are relevant for its rotation.
    struct Slot: Hashable, Sendable {
        /// The sequence number of the key, which starts at 1.
        let number: Int64
        /// The time from which the key signs; it signs until its successor does.
        let signsFrom: Timestamp
        /// Whether the private key can be decrypted.
        ///
        /// It is `false` if this node does not have the secret with which the key was encrypted.
        let isUsable: Bool
    }

    /// The changes that are due.
    struct Plan: Hashable, Sendable {
        /// The number and start time of the key to create; `nil` if no new key is due.
        var next: Slot?
        /// The numbers of the keys to delete.
        ///
        /// They are in ascending order. The last key is never deleted.
        var outlived: [Int64] = []

        /// Whether no change is due, in which case no transaction is needed.
        var isEmpty: Bool { next == nil && outlived.isEmpty }
    }

    /// How long a key signs.
    let lifespan: Duration

    /// How long a key is published before it signs.
    let notice: Duration

    /// How long a key is retained after its successor has begun to sign.
    ///
    /// It must be at least the lifespan of an access token plus the clock skew of its verifiers.
    let afterlife: Duration

    /// Returns the key with the highest number among the usable keys that have reached their start time;
    /// `nil` if there is none.
    static func signing(_ slots: [Slot], at now: Timestamp) -> Slot? {
        slots.filter { $0.isUsable && $0.signsFrom <= now }.max { $0.number < $1.number }
    }

    /// Returns the changes that are due at the given time.
    ///
    /// If no key can sign, a new key begins to sign immediately, without prior publication.
    ///
    /// - Parameters:
    ///   - slots: The stored keys in any order; unusable keys are included in the numbering.
    ///   - now: The current time.
    /// - Returns: At most one key to create, with the number after the highest one, and the keys to delete.
    ///   If another key can sign, the new key is published for at least ``notice`` before it signs, even if
    ///   the rotation is late.
    func plan(_ slots: [Slot], at now: Timestamp) -> Plan {
        let slots = slots.sorted { $0.number < $1.number }
        var plan = Plan()
        let number = (slots.last?.number ?? 0) + 1
        if Self.signing(slots, at: now) == nil {
            plan.next = Slot(number: number, signsFrom: now, isUsable: true)
        } else if let last = slots.last, last.signsFrom + lifespan - notice <= now {
            plan.next = Slot(
                number: number,
                signsFrom: max(last.signsFrom + lifespan, now + notice),
                isUsable: true
            )
        }
        for (slot, successor) in zip(slots, slots.dropFirst())
        where successor.isUsable && successor.signsFrom + afterlife <= now {
            plan.outlived.append(slot.number)
        }
        return plan
    }
}
