#if canImport(Darwin)
import os
#else
import Synchronization
#endif

/// A value protected by a lock: `Mutex`, or `OSAllocatedUnfairLock` on Apple platforms, where `Mutex` requires
/// iOS 18.
///
/// `@unchecked Sendable`: the value is accessible only through `withLock`, which holds the lock.
package final class Locked<Value>: @unchecked Sendable {
    #if canImport(Darwin)
    private let lock = OSAllocatedUnfairLock()
    #else
    private let lock = Mutex(())
    #endif
    private var value: Value

    /// Creates a lock around an initial value.
    package init(_ value: sending Value) {
        self.value = value
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
        #if canImport(Darwin)
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
        #else
        return try lock.withLock { _ throws(Failure) in
            // The result stays in the isolation of the caller. A generic wrapper that is `Sendable` would say so
            // as well, but the runtime would have to look up its type at each call.
            nonisolated(unsafe) let result = try body(&value)
            return result
        }
        #endif
    }
}
