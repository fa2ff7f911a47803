#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A bounded queue between callers that hand in work and threads that wait for it.
///
/// `@unchecked Sendable`: the state is reached under the mutex alone.
package final class WorkQueue<Element: Sendable>: @unchecked Sendable {
    /// Why an element was not taken in.
    package enum Refusal: Error {
        case full
        case closed
    }

    private let capacity: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    private var elements: [Element] = []
    private var isClosed = false

    /// Creates a queue.
    package init(capacity: Int) {
        self.capacity = capacity
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

    /// How many elements wait.
    package var count: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return elements.count
    }

    /// Puts an element at the end; never waits.
    ///
    /// - Throws: ``Refusal`` when the queue is full or closed.
    package func append(_ element: Element) throws(Refusal) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosed else { throw .closed }
        guard elements.count < capacity else { throw .full }
        elements.append(element)
        pthread_cond_signal(filled)
    }

    /// Takes elements from the front; blocks the thread until there is one.
    ///
    /// - Returns: At most `limit` elements; none once the queue is closed and empty.
    package func take(atMost limit: Int) -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while elements.isEmpty && !isClosed {
            pthread_cond_wait(filled, mutex)
        }
        let taken = Array(elements.prefix(limit))
        elements.removeFirst(taken.count)
        return taken
    }

    /// Refuses new elements and lets the threads end when those inside are taken.
    package func close() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        pthread_cond_broadcast(filled)
    }
}
