/// A remaining budget packed into one word: four bits and a guard bit for each of twelve bounds.
struct PackedBudget: Hashable, Sendable {
    // The guard bits, which prevent a subtraction from borrowing from the next bound.
    private static let guards: UInt64 = 0x0842_1084_2108_4210

    /// Five bits per bound, with the last bound in the lowest bits; the highest of the five bits, the guard
    /// bit, is 0.
    let bits: UInt64

    /// Restores a budget from the value of ``bits``.
    init(bits: UInt64) {
        self.bits = bits
    }

    /// Packs the numbers of steps, each of which must be at most ``ExplorerBounds/unlimited``.
    init(_ bounds: ExplorerBounds) {
        var bits = UInt64(bounds.requests)
        bits = bits << 5 | UInt64(bounds.logins)
        bits = bits << 5 | UInt64(bounds.opaqueLogins)
        bits = bits << 5 | UInt64(bounds.signOuts)
        bits = bits << 5 | UInt64(bounds.refreshes)
        bits = bits << 5 | UInt64(bounds.cancellations)
        bits = bits << 5 | UInt64(bounds.sessionChanges)
        bits = bits << 5 | UInt64(bounds.crashes)
        bits = bits << 5 | UInt64(bounds.losses)
        bits = bits << 5 | UInt64(bounds.revocations)
        bits = bits << 5 | UInt64(bounds.storeFailures)
        bits = bits << 5 | UInt64(bounds.lockTimeouts)
        self.bits = bits
    }

    /// Returns whether every bound is at least that of another budget, so that every path within the other
    /// budget is also within this one.
    func covers(_ other: PackedBudget) -> Bool {
        ((bits | Self.guards) - other.bits) & Self.guards == Self.guards
    }

    /// Unpacks the budget; the numbers of processes and callers are taken from a template.
    func bounds(_ template: ExplorerBounds) -> ExplorerBounds {
        var (bounds, rest) = (template, bits)
        func next() -> UInt8 {
            defer { rest >>= 5 }
            return UInt8(rest & 15)
        }
        bounds.lockTimeouts = next()
        bounds.storeFailures = next()
        bounds.revocations = next()
        bounds.losses = next()
        bounds.crashes = next()
        bounds.sessionChanges = next()
        bounds.cancellations = next()
        bounds.refreshes = next()
        bounds.signOuts = next()
        bounds.opaqueLogins = next()
        bounds.logins = next()
        bounds.requests = next()
        return bounds
    }
}
