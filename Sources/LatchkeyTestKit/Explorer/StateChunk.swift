/// A compact list of states to visit.
///
/// For each state, the chunk stores the canonical form and the budget.
struct StateChunk<Model: ExplorerModel>: Sendable {
    /// The maximum number of states in a chunk.
    ///
    /// A worker processes one chunk at a time.
    static var capacity: Int { 512 }

    /// The number of the chunk's first visit.
    ///
    /// The visits in a chunk are numbered consecutively.
    let first: UInt32
    /// The states' packed budgets, in the same order as the states.
    private(set) var budgets: [UInt64] = []
    private var ends: [Int32] = []
    private var bytes: [UInt8] = []

    /// Creates an empty chunk.
    ///
    /// The chunk's states will be the visits `first`, `first + 1` and so on.
    init(first: UInt32) {
        self.first = first
    }

    var count: Int { ends.count }

    /// Appends a state in its canonical form.
    ///
    /// The caller has to start a new chunk when ``capacity`` is reached.
    mutating func append(_ state: ArraySlice<UInt8>, budget: PackedBudget) {
        bytes += state
        ends.append(Int32(bytes.count))
        budgets.append(budget.bits)
    }

    /// Decodes a state.
    ///
    /// The numbers of processes and callers are specified by `bounds`.
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
    /// A state that can be reached from a visited state in one step.
    struct Successor: Sendable {
        let key: UInt64
        let budget: PackedBudget
        let parent: UInt32
        let step: UInt8
        let end: Int32
    }

    /// The successors, in the order of the visits and steps that led to them.
    private(set) var all: [Successor] = []
    /// The concatenated canonical forms of all successors.
    ///
    /// ``Successor/end`` is the offset at which a successor's form ends.
    private(set) var bytes: [UInt8] = []

    /// Appends a successor.
    ///
    /// - Parameters:
    ///   - state: The state's canonical form.
    ///   - key: The hash of the form, which must not be 0.
    ///   - budget: The budget that is left after the step.
    ///   - parent: The number of the visit before the step.
    ///   - step: The index of the step, which must be less than 256.
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
