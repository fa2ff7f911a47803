#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A bounded queue that hands work over to worker threads.
///
/// The threads block while they wait for work.
///
/// A queue can be divided into several lanes. Each lane has its own capacity, and the threads take work from
/// the lanes in turn, so a flood of work in one lane doesn't delay the others.
///
/// This type is `@unchecked Sendable` because all of its state is protected by the mutex.
package final class WorkQueue<Element: Sendable>: @unchecked Sendable {
    /// The reason why an element was rejected.
    package enum Refusal: Error {
        /// The lane has reached its capacity.
        case full
        /// The queue was closed with ``WorkQueue/close()``.
        case closed
    }

    private let capacity: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    private var lanes: [[Element]]
    private var nextLane = 0
    private var isClosed = false

    /// Creates an open, empty queue.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of elements that can wait in each lane.
    ///   - lanes: The number of lanes, which must be at least 1.
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

    /// The total number of elements waiting in all lanes.
    package var count: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return lanes.reduce(0) { $0 + $1.count }
    }

    /// Appends an element to a lane without blocking.
    ///
    /// - Parameters:
    ///   - element: The element to append. If this method throws, the element isn't enqueued.
    ///   - lane: The index of the lane, starting at 0.
    /// - Throws: ``Refusal`` if the lane is full or the queue is closed.
    package func append(_ element: Element, lane: Int = 0) throws(Refusal) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosed else { throw .closed }
        guard lanes[lane].count < capacity else { throw .full }
        lanes[lane].append(element)
        pthread_cond_signal(filled)
    }

    /// Removes elements from the front of the lanes in round-robin order.
    ///
    /// If all lanes are empty, the thread blocks until there is more work.
    ///
    /// - Parameter limit: The maximum number of elements to remove.
    /// - Returns: At least one element, unless the queue has been closed. If the queue has been closed and
    ///   there is no work left, the array is empty.
    package func take(atMost limit: Int) -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        // A key path would be slower because it's created again on every call when the type is generic.
        while lanes.allSatisfy({ $0.isEmpty }) && !isClosed {
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

    /// Returns the next lane in round-robin order that isn't empty, or `nil` if all lanes are empty.
    private func takeLane() -> Int? {
        let order = (0..<lanes.count).map { (nextLane + $0) % lanes.count }
        guard let lane = order.first(where: { !lanes[$0].isEmpty }) else { return nil }
        nextLane = (lane + 1) % lanes.count
        return lane
    }

    /// Closes the queue to new elements and wakes all waiting threads.
    ///
    /// Elements that are already in the queue can still be removed.
    package func close() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        pthread_cond_broadcast(filled)
    }
}
