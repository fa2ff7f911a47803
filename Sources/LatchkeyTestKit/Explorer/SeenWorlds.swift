import LatchkeyModel

/// The worlds that a search has seen, of those whose keys fall to this part; and how it came to them.
///
/// A world counts once, however much may still happen in it. It is looked at again only when more may happen, at least
/// of one thing, than at any earlier time: all that can follow otherwise has been looked at.
struct SeenWorlds: Sendable {
    /// How many worlds there are.
    private(set) var worlds = 0

    /// For each time that a world was looked at: the one before it, and which of its steps led here.
    private(set) var origins: [(parent: UInt32, step: UInt8)] = []

    // An open hash table; an empty place has no key.
    private var keys: [UInt64] = Array(repeating: 0, count: 1024)
    private var budgets: [UInt64] = Array(repeating: 0, count: 1024)
    private var filled = 0

    /// Whether all that can follow from a world has been looked at, or will be.
    func covers(_ key: UInt64, _ budget: PackedBudget) -> Bool {
        var place = start(of: key)
        while keys[place] != 0 {
            if keys[place] == key, PackedBudget(bits: budgets[place]).covers(budget) { return true }
            place = (place + 1) & (keys.count - 1)
        }
        return false
    }

    /// Takes in a world, unless it is covered.
    ///
    /// - Returns: Its place among the origins, and whether the world itself is new.
    mutating func insert(
        _ key: UInt64,
        _ budget: PackedBudget,
        parent: UInt32,
        step: UInt8
    ) -> (place: UInt32, isNew: Bool)? {
        var (place, isNew) = (start(of: key), true)
        var covered: Int?
        while keys[place] != 0 {
            if keys[place] == key {
                let former = PackedBudget(bits: budgets[place])
                if former.covers(budget) { return nil }
                if budget.covers(former) { covered = place }
                isNew = false
            }
            place = (place + 1) & (keys.count - 1)
        }
        if let covered {
            budgets[covered] = budget.bits
        } else {
            (keys[place], budgets[place]) = (key, budget.bits)
            filled += 1
            if filled * 4 > keys.count * 3 { grow() }
        }
        if isNew { worlds += 1 }
        origins.append((parent, step))
        return (UInt32(origins.count - 1), isNew)
    }

    private func start(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: key) & (keys.count - 1)
    }

    private mutating func grow() {
        let (oldKeys, oldBudgets) = (keys, budgets)
        keys = Array(repeating: 0, count: oldKeys.count * 2)
        budgets = keys
        for (key, budget) in zip(oldKeys, oldBudgets) where key != 0 {
            var place = start(of: key)
            while keys[place] != 0 { place = (place + 1) & (keys.count - 1) }
            (keys[place], budgets[place]) = (key, budget)
        }
    }
}

/// Keys of worlds, each once, over several searches.
package final class WorldTally: Sendable {
    private struct Part {
        var keys: [UInt64] = Array(repeating: 0, count: 1024)
        var count = 0

        mutating func insert(_ key: UInt64) {
            var place = Int(truncatingIfNeeded: key) & (keys.count - 1)
            while keys[place] != 0 {
                if keys[place] == key { return }
                place = (place + 1) & (keys.count - 1)
            }
            keys[place] = key
            count += 1
            guard count * 4 > keys.count * 3 else { return }
            let old = keys
            (keys, count) = (Array(repeating: 0, count: old.count * 2), 0)
            for key in old where key != 0 { insert(key) }
        }
    }

    private let parts = (0..<WorldSearch.parts).map { _ in Locked(Part()) }

    package init() {}

    /// How many worlds there are in all searches together.
    package var count: Int { parts.reduce(0) { $0 + $1.withLock { $0.count } } }

    func insert(_ keys: [UInt64], part: Int) {
        parts[part].withLock { part in
            for key in keys { part.insert(key) }
        }
    }
}
