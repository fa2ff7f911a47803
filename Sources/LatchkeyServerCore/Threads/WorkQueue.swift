#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A bounded queue between callers that add work and threads that wait for it.
///
/// A queue can have lanes: each is bounded on its own, and threads serve them in turn, so that a flood in one of them
/// does not hold up the others.
///
/// `@unchecked Sendable`: the state is reached under the mutex alone.
package final class WorkQueue<Element: Sendable>: @unchecked Sendable {
    /// The reason why an element was not accepted.
    package enum Refusal: Error {
        case full
        case closed
    }

    private let capacity: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    private var lanes: [[Element]]
    private var nextLane = 0
    private var isClosed = false

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - capacity: The most elements that wait in one lane.
    ///   - lanes: The number of lanes, at least 1.
    package init(capacity: Int, lanes: Int = 1) {
        self.capacity = capacity
        self.lanes = Array(repeating: [], count: max(1, lanes))
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        filled = .allocate(capacity: 1)
        filled.initialize(to: pthread_cond_t())
        pthread_cond_init(filled, nil)
    }

    deinit {
        pthread_cond_destroy(filled)
        filled.deinitialize(count: 1)
        filled.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// The number of elements that wait in all lanes.
    package var count: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return lanes.reduce(0) { $0 + $1.count }
    }

    /// Appends an element to a lane; never waits.
    ///
    /// - Throws: ``Refusal`` when the lane is full or the queue closed.
    package func append(_ element: Element, lane: Int = 0) throws(Refusal) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosed else { throw .closed }
        guard lanes[lane].count < capacity else { throw .full }
        lanes[lane].append(element)
        pthread_cond_signal(filled)
    }

    /// Takes elements from the front of the lanes, one lane after the other; blocks the thread until there is one.
    ///
    /// - Returns: At most `limit` elements; none once the queue is closed and empty.
    package func take(atMost limit: Int) -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while lanes.allSatisfy(\.isEmpty) && !isClosed {
            pthread_cond_wait(filled, mutex)
        }
        guard lanes.count > 1 else {
            let taken = Array(lanes[0].prefix(limit))
            lanes[0].removeFirst(taken.count)
            return taken
        }
        var taken: [Element] = []
        while taken.count < limit, let lane = takeLane() { taken.append(lanes[lane].removeFirst()) }
        return taken
    }

    /// The lane to serve next; `nil` if all are empty.
    private func takeLane() -> Int? {
        let order = (0..<lanes.count).map { (nextLane + $0) % lanes.count }
        guard let lane = order.first(where: { !lanes[$0].isEmpty }) else { return nil }
        nextLane = (lane + 1) % lanes.count
        return lane
    }

    /// Refuses new elements and lets the threads end when those inside are taken.
    package func close() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        pthread_cond_broadcast(filled)
    }
}
