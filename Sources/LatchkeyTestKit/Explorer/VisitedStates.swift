import LatchkeyModel

/// The states that a search has visited, for one partition of the keys, and the steps that led to them.
///
/// Each state is counted once, regardless of its remaining budget. A state is only visited again if, compared
/// with each earlier budget, the new one is larger in at least one bound. Otherwise, everything that can
/// follow has already been explored.
struct VisitedStates: Sendable {
    /// The number of distinct states that have been visited.
    private(set) var states = 0

    /// The index of the visit that preceded each visit, and the index of the step that led from one to the
    /// other.
    private(set) var origins: [(parent: UInt32, step: UInt8)] = []

    // This is a hash table with open addressing. Key 0 marks an empty slot.
    private var keys: [UInt64] = Array(repeating: 0, count: 1024)
    private var budgets: [UInt64] = Array(repeating: 0, count: 1024)
    private var filled = 0

    /// Returns whether a state has already been visited or queued with a budget that covers the given one.
    ///
    /// This method doesn't compare the state with other successors from the same batch, because they haven't
    /// been inserted yet. ``insert(_:budget:parent:step:)`` does.
    func covers(_ key: UInt64, budget: PackedBudget) -> Bool {
        var slot = start(of: key)
        while keys[slot] != 0 {
            if keys[slot] == key, PackedBudget(bits: budgets[slot]).covers(budget) { return true }
            slot = (slot + 1) & (keys.count - 1)
        }
        return false
    }

    /// Adds a visit unless it is covered by an earlier one.
    ///
    /// - Parameters:
    ///   - key: The hash of the state's canonical form, which must not be 0.
    ///   - budget: The remaining budget.
    ///   - parent: The number of the preceding visit, or `.max` for the first visit.
    ///   - step: The index of the step that led from the preceding visit.
    /// - Returns: The visit's index in ``origins`` and whether the state is new, or `nil` if an earlier visit
    ///   covers this one.
    mutating func insert(
        _ key: UInt64,
        budget: PackedBudget,
        parent: UInt32,
        step: UInt8
    ) -> (index: UInt32, isNew: Bool)? {
        var (slot, isNew) = (start(of: key), true)
        var covered: Int?
        while keys[slot] != 0 {
            if keys[slot] == key {
                let former = PackedBudget(bits: budgets[slot])
                if former.covers(budget) { return nil }
                if budget.covers(former) { covered = slot }
                isNew = false
            }
            slot = (slot + 1) & (keys.count - 1)
        }
        if let covered {
            budgets[covered] = budget.bits
        } else {
            (keys[slot], budgets[slot]) = (key, budget.bits)
            filled += 1
            if filled * 4 > keys.count * 3 { grow() }
        }
        if isNew { states += 1 }
        origins.append((parent, step))
        return (UInt32(origins.count - 1), isNew)
    }

    /// Returns the first slot to probe, which depends on the key's lowest bits.
    private func start(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: key) & (keys.count - 1)
    }

    /// Doubles the table when three quarters of its slots are filled.
    ///
    /// The visits keep their numbers.
    private mutating func grow() {
        let (oldKeys, oldBudgets) = (keys, budgets)
        keys = Array(repeating: 0, count: oldKeys.count * 2)
        budgets = keys
        for (key, budget) in zip(oldKeys, oldBudgets) where key != 0 {
            var slot = start(of: key)
            while keys[slot] != 0 { slot = (slot + 1) & (keys.count - 1) }
            (keys[slot], budgets[slot]) = (key, budget)
        }
    }
}

/// A thread-safe counter of distinct states across several searches.
///
/// Consecutive searches that use the same counter count each state only once, even if their bounds differ.
package final class StateCounter: Sendable {
    private struct Part {
        var keys: [UInt64] = Array(repeating: 0, count: 1024)
        var count = 0

        mutating func insert(_ key: UInt64) {
            var slot = Int(truncatingIfNeeded: key) & (keys.count - 1)
            while keys[slot] != 0 {
                if keys[slot] == key { return }
                slot = (slot + 1) & (keys.count - 1)
            }
            keys[slot] = key
            count += 1
            guard count * 4 > keys.count * 3 else { return }
            let old = keys
            (keys, count) = (Array(repeating: 0, count: old.count * 2), 0)
            for key in old where key != 0 { insert(key) }
        }
    }

    private let parts = (0..<stateParts).map { _ in Locked(Part()) }

    /// Creates a counter that is zero.
    package init() {}

    /// The number of distinct states in all searches so far.
    package var count: Int { parts.reduce(0) { $0 + $1.withLock { $0.count } } }

    /// Adds one partition's keys, without counting keys that have already been added.
    ///
    /// - Parameters:
    ///   - keys: The keys, which must not be 0.
    ///   - part: The partition that all of the keys belong to; see ``stateParts``.
    func insert(_ keys: [UInt64], part: Int) {
        parts[part].withLock { part in
            for key in keys { part.insert(key) }
        }
    }
}
