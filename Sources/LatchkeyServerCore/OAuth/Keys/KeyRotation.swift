import LatchkeyModel

/// When keys that sign access tokens come and go: every key is published before it signs, and stays until what it
/// signed is over.
struct KeyRotation: Sendable {
    /// A key as the rotation sees it.
    struct Slot: Hashable, Sendable {
        /// Its place in the line, from 1 on.
        let number: Int64
        let signsFrom: Timestamp
        /// Whether its private half can be opened.
        let isUsable: Bool
    }

    /// What is to be done now.
    struct Plan: Hashable, Sendable {
        /// The number and the time of a key to make.
        var next: Slot?
        /// The numbers of keys to delete.
        var outlived: [Int64] = []

        var isEmpty: Bool { next == nil && outlived.isEmpty }
    }

    /// For how long a key signs.
    let lifespan: Duration

    /// For how long a key is published before it signs.
    let notice: Duration

    /// For how long a key is kept after its successor has begun to sign.
    let afterlife: Duration

    /// The key that signs at a time.
    static func signing(_ slots: [Slot], at now: Timestamp) -> Slot? {
        slots.filter { $0.isUsable && $0.signsFrom <= now }.max { $0.number < $1.number }
    }

    /// What is to be done at a time.
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
