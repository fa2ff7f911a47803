/// A compact list of worlds to visit, each as its canonical bytes and budget.
struct WorldChunk: Sendable {
    /// The maximum number of worlds in a chunk, which is the unit of work of a worker.
    static let capacity = 512

    /// The number of the first visit; those of the others follow.
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

    /// Decodes a world; the numbers of processes and callers are those of `bounds`.
    func world(_ index: Int, _ bounds: ExplorerBounds) -> ExploredWorld {
        let start = index == 0 ? 0 : Int(ends[index - 1])
        var reader = WorldReader(
            bytes[start..<Int(ends[index])],
            PackedBudget(bits: budgets[index]).bounds(bounds)
        )
        return reader.readWorld()
    }
}

/// The successors of the worlds in a chunk that were not visited before, for one partition of the keys.
struct Followers: Sendable {
    /// A successor: its key and budget, the visit and step that led to it, and the end of its bytes.
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
