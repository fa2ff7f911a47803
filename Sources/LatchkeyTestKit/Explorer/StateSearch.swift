import Dispatch
import LatchkeyModel

/// The number of partitions that the keys are divided into, to reduce lock contention between workers.
let stateParts = 16

/// A breadth-first search in progress.
///
/// The order of visits doesn't depend on the number of workers. Each depth is divided into chunks, each
/// worker expands one chunk at a time, and the successors are inserted chunk by chunk. This makes counts and
/// traces reproducible.
final class StateSearch<Model: ExplorerModel>: Sendable {
    /// A violation, the visit that preceded it, and the index of the step that caused it.
    struct Failure: Sendable {
        let what: Model.Violation
        let parent: UInt32
        let step: Int
    }

    private struct Expansion: Sendable {
        var successors = Array(repeating: Successors(), count: stateParts)
        var steps = 0
        var failure: Failure?
    }

    /// The number of chunks that are expanded before their successors are inserted.
    ///
    /// This limits the memory needed for successors.
    private static var batch: Int { 128 }

    /// The number of bits that contain a visit's index in its partition.
    ///
    /// The remaining high bits contain the partition's number.
    private static var indexBits: UInt32 { 28 }

    private let bounds: Model.Bounds
    private let reducer: Model.Reducer
    private let workers: Int
    private let counter: StateCounter?
    private let seen = (0..<stateParts).map { _ in Locked(VisitedStates()) }

    /// Creates a search that has not visited any states yet.
    ///
    /// - Parameters:
    ///   - bounds: The search's bounds.
    ///   - reducer: The transition function. With several workers, the function is called on several threads.
    ///   - workers: The number of threads, which is at least 1.
    ///   - counter: A counter of new states that is shared with other searches, or `nil` to not count the new
    ///     states.
    init(
        _ bounds: Model.Bounds,
        reducer: Model.Reducer,
        workers: Int,
        counter: StateCounter?
    ) {
        (self.bounds, self.reducer, self.workers, self.counter) = (bounds, reducer, workers, counter)
    }

    /// The number of distinct states, regardless of their budgets.
    var states: Int { seen.reduce(0) { $0 + $1.withLock { $0.states } } }

    /// The number of visits, including repeated visits with other budgets.
    var visits: Int { seen.reduce(0) { $0 + $1.withLock { $0.origins.count } } }

    /// Returns the first depth, which contains only the initial state.
    func start() -> [StateChunk<Model>] {
        var successors = Successors()
        let bytes = Model(bounds).canonical
        let key = Self.key(of: bytes)
        successors.append(bytes, key: key, budget: bounds.packed, parent: .max, step: 0)
        return insert([successors], part: Self.part(of: key))
    }

    /// Expands all states at one depth.
    ///
    /// If there is a violation, the search stops after the batch of chunks that contains the violation. In
    /// this case, no states are returned for the next depth. If there are several violations, the one from
    /// the earliest chunk is returned.
    ///
    /// - Parameter depth: The chunks of states at the current depth.
    /// - Returns: The next depth, the number of steps that were applied, and the first violation, if any.
    func advance(_ depth: [StateChunk<Model>]) -> (next: [StateChunk<Model>], steps: Int, failure: Failure?) {
        var depth = depth
        var next = Array(repeating: [StateChunk<Model>](), count: stateParts)
        var (steps, from) = (0, 0)
        while from < depth.count {
            let chunks = Array(depth[from..<min(from + Self.batch, depth.count)])
            let expansions = inParallel(chunks.count) { self.expand(chunks[$0]) }
            for index in chunks.indices { depth[from + index] = StateChunk<Model>(first: 0) }
            from += chunks.count
            for expansion in expansions {
                steps += expansion.steps
                if let failure = expansion.failure { return ([], steps, failure) }
            }
            let taken = inParallel(stateParts) { part in
                self.insert(expansions.map { $0.successors[part] }, part: part)
            }
            for part in taken.indices { next[part] += taken[part] }
        }
        return (next.flatMap { $0 }, steps, nil)
    }

    /// Returns the indices of the steps that lead from the initial state to a visit.
    ///
    /// This method traps if there is no visit with the given number.
    func steps(to number: UInt32) -> [Int] {
        var steps: [Int] = []
        var number = number
        while true {
            let (part, index) = (Int(number >> Self.indexBits), Int(number & (1 << Self.indexBits - 1)))
            let (parent, step) = seen[part].withLock { $0.origins[index] }
            guard parent != .max else { return steps.reversed() }
            steps.append(Int(step))
            number = parent
        }
    }

    // MARK: Expansion

    /// Applies every possible step to the states in a chunk, until there is a violation.
    private func expand(_ chunk: StateChunk<Model>) -> Expansion {
        var expansion = Expansion()
        var encoder = Model.makeEncoder(bounds)
        for index in 0..<chunk.count {
            let state = chunk.state(at: index, bounds: bounds)
            let number = chunk.first + UInt32(index)
            for (stepIndex, step) in state.steps.enumerated() {
                expansion.steps += 1
                var after = state
                do throws(Model.Violation) {
                    try after.apply(step, with: reducer)
                    try after.check()
                } catch {
                    expansion.failure = Failure(what: error, parent: number, step: stepIndex)
                    return expansion
                }
                let bytes = after.canonical(&encoder)
                let (key, budget) = (Self.key(of: bytes), after.budget.packed)
                let part = Self.part(of: key)
                if seen[part].withLock({ $0.covers(key, budget: budget) }) { continue }
                expansion.successors[part]
                    .append(bytes, key: key, budget: budget, parent: number, step: stepIndex)
            }
        }
        return expansion
    }

    /// Inserts one partition's new successors and returns them as chunks for the next depth.
    private func insert(_ successors: [Successors], part: Int) -> [StateChunk<Model>] {
        var chunks: [StateChunk<Model>] = []
        var news: [UInt64] = []
        seen[part].withLock { seen in
            for successors in successors {
                var start = 0
                for successor in successors.all {
                    defer { start = Int(successor.end) }
                    guard
                        let (index, isNew) = seen.insert(
                            successor.key,
                            budget: successor.budget,
                            parent: successor.parent,
                            step: successor.step
                        )
                    else { continue }
                    if isNew { news.append(successor.key) }
                    if chunks.isEmpty || chunks[chunks.count - 1].count == StateChunk<Model>.capacity {
                        chunks.append(StateChunk<Model>(first: UInt32(part) << Self.indexBits | index))
                    }
                    chunks[chunks.count - 1]
                        .append(successors.bytes[start..<Int(successor.end)], budget: successor.budget)
                }
            }
        }
        counter?.insert(news, part: part)
        return chunks
    }

    /// Runs a closure for each index on the workers, and returns the results in index order.
    private func inParallel<Result: Sendable>(
        _ count: Int,
        body: @Sendable (Int) -> Result
    ) -> [Result] {
        if workers == 1 || count == 1 { return (0..<count).map(body) }
        let begun = Locked(0)
        let results = Locked([Result?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: min(workers, count)) { _ in
            while true {
                let index = begun.withLock { begun in
                    defer { begun += 1 }
                    return begun
                }
                guard index < count else { return }
                let result = body(index)
                results.withLock { $0[index] = result }
            }
        }
        return results.withLock { $0.compactMap { $0 } }
    }

    /// Returns the hash of canonical bytes.
    ///
    /// A hash of 0 is replaced with 1, because 0 marks empty slots.
    private static func key(of bytes: [UInt8]) -> UInt64 {
        max(stateKey(bytes), 1)
    }

    /// Returns a key's partition, which is given by its four highest bits.
    ///
    /// These bits are the same for all keys in a partition, so the partition's hash table ignores them.
    private static func part(of key: UInt64) -> Int {
        Int(key >> 60)
    }
}
