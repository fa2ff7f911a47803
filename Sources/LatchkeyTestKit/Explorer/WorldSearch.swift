import Dispatch
import LatchkeyModel

/// A breadth-first search in progress.
///
/// The order of visits does not depend on the number of workers: a depth is divided into chunks, each worker
/// expands one chunk at a time, and the successors are inserted chunk by chunk. Counts and traces are
/// therefore reproducible.
final class WorldSearch: Sendable {
    /// The number of partitions of the keys, which reduces lock contention between workers.
    static let parts = 16

    /// A violation, with the visit before it and the index of the step that caused it.
    struct Failure: Sendable {
        let what: ExploredViolation
        let parent: UInt32
        let step: Int
    }

    private struct Expansion: Sendable {
        var followers = Array(repeating: Followers(), count: WorldSearch.parts)
        var steps = 0
        var failure: Failure?
    }

    /// The number of chunks that are expanded before their successors are inserted; it bounds the memory for
    /// those.
    private static let batch = 128

    private static let placeBits: UInt32 = 28

    private let bounds: ExplorerBounds
    private let reducer: ExploredWorld.Reducer
    private let workers: Int
    private let tally: WorldTally?
    private let seen = (0..<WorldSearch.parts).map { _ in Locked(SeenWorlds()) }

    init(
        _ bounds: ExplorerBounds,
        _ reducer: @escaping ExploredWorld.Reducer,
        workers: Int,
        tally: WorldTally?
    ) {
        (self.bounds, self.reducer, self.workers, self.tally) = (bounds, reducer, workers, tally)
    }

    var worlds: Int { seen.reduce(0) { $0 + $1.withLock { $0.worlds } } }

    /// The number of visits, including repeated ones with other budgets.
    var visits: Int { seen.reduce(0) { $0 + $1.withLock { $0.origins.count } } }

    /// Returns the first depth, which contains only the start.
    func start() -> [WorldChunk] {
        var followers = Followers()
        let bytes = ExploredWorld(bounds).canonical
        let key = Self.key(of: bytes)
        followers.append(bytes, key: key, budget: PackedBudget(bounds), parent: .max, step: 0)
        return takeIn([followers], part: Self.part(of: key))
    }

    /// Expands all worlds of a depth.
    ///
    /// - Parameter depth: The chunks of the depth.
    /// - Returns: The next depth, the number of steps that were applied, and the first violation.
    func advance(_ depth: [WorldChunk]) -> (next: [WorldChunk], steps: Int, failure: Failure?) {
        var depth = depth
        var next = Array(repeating: [WorldChunk](), count: Self.parts)
        var (steps, from) = (0, 0)
        while from < depth.count {
            let chunks = Array(depth[from..<min(from + Self.batch, depth.count)])
            let expansions = inParallel(chunks.count) { self.expand(chunks[$0]) }
            for index in chunks.indices { depth[from + index] = WorldChunk(first: 0) }
            from += chunks.count
            for expansion in expansions {
                steps += expansion.steps
                if let failure = expansion.failure { return ([], steps, failure) }
            }
            let taken = inParallel(Self.parts) { part in
                self.takeIn(expansions.map { $0.followers[part] }, part: part)
            }
            for part in taken.indices { next[part] += taken[part] }
        }
        return (next.flatMap { $0 }, steps, nil)
    }

    /// Returns the indices of the steps from the start to a visit.
    func steps(to number: UInt32) -> [Int] {
        var steps: [Int] = []
        var number = number
        while true {
            let (part, place) = (Int(number >> Self.placeBits), Int(number & (1 << Self.placeBits - 1)))
            let (parent, step) = seen[part].withLock { $0.origins[place] }
            guard parent != .max else { return steps.reversed() }
            steps.append(Int(step))
            number = parent
        }
    }

    // MARK: Expansion

    /// Applies every possible step to the worlds of a chunk, up to the first violation.
    private func expand(_ chunk: WorldChunk) -> Expansion {
        var expansion = Expansion()
        var writer = WorldWriter(ExploredWorld(empty: bounds))
        for index in 0..<chunk.count {
            let world = chunk.world(index, bounds)
            let number = chunk.first + UInt32(index)
            for (stepIndex, step) in world.steps.enumerated() {
                expansion.steps += 1
                var after = world
                do throws(ExploredViolation) {
                    try after.apply(step, reducer)
                    try after.check()
                } catch {
                    expansion.failure = Failure(what: error, parent: number, step: stepIndex)
                    return expansion
                }
                let bytes = after.canonical(&writer)
                let (key, budget) = (Self.key(of: bytes), PackedBudget(after.budget))
                let part = Self.part(of: key)
                if seen[part].withLock({ $0.covers(key, budget) }) { continue }
                expansion.followers[part]
                    .append(bytes, key: key, budget: budget, parent: number, step: stepIndex)
            }
        }
        return expansion
    }

    /// Inserts the new successors of one partition, and returns them as chunks of the next depth.
    private func takeIn(_ followers: [Followers], part: Int) -> [WorldChunk] {
        var chunks: [WorldChunk] = []
        var news: [UInt64] = []
        seen[part].withLock { seen in
            for followers in followers {
                var start = 0
                for follower in followers.all {
                    defer { start = Int(follower.end) }
                    guard
                        let (place, isNew) = seen.insert(
                            follower.key,
                            follower.budget,
                            parent: follower.parent,
                            step: follower.step
                        )
                    else { continue }
                    if isNew { news.append(follower.key) }
                    if chunks.isEmpty || chunks[chunks.count - 1].count == WorldChunk.capacity {
                        chunks.append(WorldChunk(first: UInt32(part) << Self.placeBits | place))
                    }
                    chunks[chunks.count - 1]
                        .append(followers.bytes[start..<Int(follower.end)], follower.budget)
                }
            }
        }
        tally?.insert(news, part: part)
        return chunks
    }

    /// Runs a closure for each index on the workers; returns the results in the order of the indices.
    private func inParallel<Result: Sendable>(
        _ count: Int,
        _ body: @Sendable (Int) -> Result
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

    /// The hash of canonical bytes; 0 marks empty slots, so that it is replaced by 1.
    private static func key(of bytes: [UInt8]) -> UInt64 {
        max(worldKey(bytes), 1)
    }

    private static func part(of key: UInt64) -> Int {
        Int(key >> 60)
    }
}
