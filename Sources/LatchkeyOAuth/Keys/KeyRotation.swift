import LatchkeyModel

/// The rotation schedule of access token signing keys.
///
/// Each key is published before it signs, and is retained until the tokens that it signed have expired.
///
/// The changes depend on the stored keys and the given time only, so that nodes with the same settings and
/// secrets come to the same result.
struct KeyRotation: Sendable {
    /// The properties of a key that matter for its rotation.
    struct Slot: Hashable, Sendable {
        /// The sequence number of the key, starting at 1.
        let number: Int64
        /// The time from which the key signs, until its successor does.
        let signsFrom: Timestamp
        /// Whether the private key can be decrypted.
        ///
        /// It is `false` if the secret that encrypted the key is not one of this node's secrets.
        let isUsable: Bool
    }

    /// The changes that are due.
    struct Plan: Hashable, Sendable {
        /// The number and start time of the key to create; `nil` if none is due.
        var next: Slot?
        /// The numbers of the keys to delete.
        ///
        /// They are in ascending order. The last key is never among them.
        var outlived: [Int64] = []

        /// Whether no change is due, in which case no transaction is needed.
        var isEmpty: Bool { next == nil && outlived.isEmpty }
    }

    /// The time for which a key signs.
    let lifespan: Duration

    /// The time for which a key is published before it signs.
    let notice: Duration

    /// The time for which a key is retained after its successor has begun to sign.
    ///
    /// It must be at least the lifespan of an access token and the clock skew of its verifiers.
    let afterlife: Duration

    /// Returns the usable key with the highest number whose start time has come; `nil` if there is none.
    static func signing(_ slots: [Slot], at now: Timestamp) -> Slot? {
        slots.filter { $0.isUsable && $0.signsFrom <= now }.max { $0.number < $1.number }
    }

    /// Returns the changes that are due at a time.
    ///
    /// Without a key that can sign, a new one starts at once, without prior publication.
    ///
    /// - Parameters:
    ///   - slots: The stored keys in any order; unusable ones count for the numbering.
    ///   - now: The current time.
    /// - Returns: At most one key to create, with the number after the highest one, and the keys to delete.
    ///   Unless no key can sign, the new one is published for at least ``notice`` before it signs, even if
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
