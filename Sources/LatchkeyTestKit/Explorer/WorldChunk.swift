/// Some worlds that are to be looked at, in few bytes each.
struct WorldChunk: Sendable {
    /// How many worlds a chunk has at most; what a worker does at a time.
    static let capacity = 512

    /// The number of the first; the others follow.
    let first: UInt32
    private(set) var budgets: [UInt64] = []
    private var ends: [Int32] = []
    private var bytes: [UInt8] = []

    init(first: UInt32) {
        self.first = first
    }

    var count: Int { ends.count }

    mutating func append(_ world: ArraySlice<UInt8>, _ budget: PackedBudget) {
        bytes += world
        ends.append(Int32(bytes.count))
        budgets.append(budget.bits)
    }

    func world(_ index: Int, _ bounds: ExplorerBounds) -> ExploredWorld {
        let start = index == 0 ? 0 : Int(ends[index - 1])
        var reader = WorldReader(
            bytes[start..<Int(ends[index])],
            PackedBudget(bits: budgets[index]).bounds(bounds)
        )
        return reader.readWorld()
    }
}

/// What can follow from the worlds of a chunk, as far as it was not seen before; for one part of the keys.
struct Followers: Sendable {
    struct Follower: Sendable {
        let key: UInt64
        let budget: PackedBudget
        let parent: UInt32
        let step: UInt8
        let end: Int32
    }

    private(set) var all: [Follower] = []
    private(set) var bytes: [UInt8] = []

    mutating func append(
        _ world: [UInt8],
        key: UInt64,
        budget: PackedBudget,
        parent: UInt32,
        step: Int
    ) {
        bytes += world
        let end = Int32(bytes.count)
        all.append(Follower(key: key, budget: budget, parent: parent, step: UInt8(step), end: end))
    }
}
