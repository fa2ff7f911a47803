import LatchkeyModel

/// The rotation schedule for the signing keys of one algorithm.
///
/// Each key is published before it is used for signing, and is retained until all tokens signed with it have
/// expired.
///
/// The schedule depends only on the stored keys and the given time, so nodes with the same settings and
/// secrets compute the same schedule.
struct KeyRotation: Sendable {
    /// The properties of a key that matter for its rotation.
    struct Slot: Hashable, Sendable {
        /// The sequence number of the key.
        ///
        /// The first key has the number 1.
        let number: Int64
        /// When the key starts signing.
        ///
        /// The key is used until its successor starts signing.
        let signsFrom: Timestamp
        /// Whether the private key can be decrypted.
        ///
        /// This is `false` if this node doesn't have the secret that the key was encrypted with.
        let isUsable: Bool
    }

    /// The changes that are due.
    struct Plan: Hashable, Sendable {
        /// The number and start time of the key to create, or `nil` if no new key is needed.
        var next: Slot?
        /// The numbers of the keys to delete, in ascending order.
        ///
        /// The last key is never deleted.
        var outlived: [Int64] = []
    }

    /// How long a key is used for signing.
    let lifespan: Duration

    /// How long a key is published before it is used for signing.
    let notice: Duration

    /// How long a key is retained after its successor has started signing.
    ///
    /// The value must be at least the lifespan of an access token plus the clock skew of the servers that
    /// verify tokens.
    let afterlife: Duration

    /// Returns the key to sign with, or `nil` if there is none.
    ///
    /// This is the newest usable key whose start time has been reached or, if there is none, the oldest usable
    /// key. Another node's clock may be ahead of ours when that node creates the first key.
    static func signing(_ slots: [Slot], at now: Timestamp) -> Slot? {
        let usable = slots.filter(\.isUsable)
        return usable.filter { $0.signsFrom <= now }.max { $0.number < $1.number }
            ?? usable.min { $0.number < $1.number }
    }

    /// Returns the changes that are due at the given time.
    ///
    /// If there is no key that can sign, a new key is used immediately, without being published first.
    ///
    /// - Parameters:
    ///   - slots: The stored keys, in any order. Keys that cannot be decrypted must be included, because
    ///     their numbers are taken.
    ///   - now: The current time.
    /// - Returns: At most one key to create, and the keys to delete. The new key has the next free number. If
    ///   there is another key that can sign, the new key is published for at least ``notice`` before it is
    ///   used, even if the rotation is late.
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
