/// A remaining budget packed into one word, with four bits and a guard bit for each of twelve bounds.
package struct PackedBudget: Hashable, Sendable {
    // A subtraction can only borrow from the guard bit of its own bound, not from the next bound.
    private static let guards: UInt64 = 0x0842_1084_2108_4210

    /// Five bits per bound, with the last bound in the lowest bits.
    ///
    /// The highest of the five bits is the guard bit, which is 0.
    private(set) var bits: UInt64

    /// Restores a budget from a value of ``bits``.
    init(bits: UInt64) {
        self.bits = bits
    }

    /// Creates an empty budget.
    init() {
        bits = 0
    }

    /// Appends the maximum number of steps of one kind, which must be at most 15.
    ///
    /// A budget can contain up to twelve kinds of steps.
    mutating func append(_ bound: UInt8) {
        bits = bits << 5 | UInt64(bound)
    }

    /// Returns the number of steps of one kind.
    ///
    /// - Parameter place: The position of the bound, where 0 is the bound that was appended last.
    /// - Returns: The number of steps.
    func bound(at place: Int) -> UInt8 {
        UInt8(bits >> UInt64(5 * place) & 15)
    }

    /// Returns whether every bound is at least as large as the corresponding bound of another budget.
    ///
    /// If this is `true`, every path that is possible within `other` is also possible within this budget.
    func covers(_ other: PackedBudget) -> Bool {
        ((bits | Self.guards) - other.bits) & Self.guards == Self.guards
    }
}
