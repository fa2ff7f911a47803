/// A compact list of states to visit, each stored as its canonical bytes and budget.
struct StateChunk<Model: ExplorerModel>: Sendable {
    /// The maximum number of states in a chunk, which is a worker's unit of work.
    static var capacity: Int { 512 }

    /// The number of the first visit; the other visits are numbered consecutively.
    let first: UInt32
    /// The packed budgets of the states, in the order of the chunk.
    private(set) var budgets: [UInt64] = []
    private var ends: [Int32] = []
    private var bytes: [UInt8] = []

    /// Creates an empty chunk, whose states will be the visits `first`, `first + 1` and so on.
    init(first: UInt32) {
        self.first = first
    }

    var count: Int { ends.count }

    /// Appends a state in its canonical form.
    ///
    /// The caller starts a new chunk once ``capacity`` is reached.
    mutating func append(_ state: ArraySlice<UInt8>, budget: PackedBudget) {
        bytes += state
        ends.append(Int32(bytes.count))
        budgets.append(budget.bits)
    }

    /// Decodes a state; the numbers of processes and callers are taken from `bounds`.
    func state(at index: Int, bounds: Model.Bounds) -> Model {
        let start = index == 0 ? 0 : Int(ends[index - 1])
        return Model(
            canonical: bytes[start..<Int(ends[index])],
            budget: bounds.unpacking(PackedBudget(bits: budgets[index]))
        )
    }
}

/// The successors of a chunk's states that have not been visited before, for one partition of the keys.
struct Successors: Sendable {
    /// A state that follows a visit, with its key and budget, the visit and step that led to it, and the end
    /// of its bytes.
    struct Successor: Sendable {
        let key: UInt64
        let budget: PackedBudget
        let parent: UInt32
        let step: UInt8
        let end: Int32
    }

    /// The successors in the order of the visits and steps that led to them.
    private(set) var all: [Successor] = []
    /// The concatenated canonical forms of all successors, which ``Successor/end`` separates.
    private(set) var bytes: [UInt8] = []

    /// Appends a successor.
    ///
    /// - Parameters:
    ///   - state: The canonical form.
    ///   - key: The hash of the form, which is not 0.
    ///   - budget: The remaining budget after the step.
    ///   - parent: The number of the visit before the step.
    ///   - step: The index of the step, which is less than 256.
    mutating func append(
        _ state: [UInt8],
        key: UInt64,
        budget: PackedBudget,
        parent: UInt32,
        step: Int
    ) {
        bytes += state
        let end = Int32(bytes.count)
        all.append(Successor(key: key, budget: budget, parent: parent, step: UInt8(step), end: end))
    }
}
