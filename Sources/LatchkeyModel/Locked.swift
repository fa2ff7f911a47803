#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A value protected by a lock; a replacement for `Mutex` on deployment targets that lack it.
///
/// `@unchecked Sendable`: the value is accessible only through `withLock`, which holds the lock.
package final class Locked<Value>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Creates a lock around an initial value.
    package init(_ value: sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deinitialize(count: 1)
        lock.deallocate()
    }

    /// Calls a closure with the value while holding the lock; the closure must not block.
    ///
    /// The lock is not recursive: the closure must not acquire it again.
    ///
    /// - Parameter body: Reads or changes the value.
    /// - Returns: The result of the closure.
    /// - Throws: The error that the closure throws; changes that it has already made remain.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
