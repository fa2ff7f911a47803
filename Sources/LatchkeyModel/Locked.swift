#if canImport(Darwin)
import os
#else
import Synchronization
#endif

/// A value that is protected by a lock.
///
/// On Apple platforms this uses `OSAllocatedUnfairLock`, because `Mutex` requires iOS 18.
///
/// The type is `@unchecked Sendable` because the value can be accessed only through `withLock`, which holds
/// the lock.
package final class Locked<Value>: @unchecked Sendable {
    #if canImport(Darwin)
    private let lock = OSAllocatedUnfairLock()
    #else
    private let lock = Mutex(())
    #endif
    private var value: Value

    /// Creates a lock that protects the given value.
    package init(_ value: sending Value) {
        self.value = value
    }

    /// Calls a closure with exclusive access to the value.
    ///
    /// The closure must not block.
    ///
    /// The lock isn't recursive, so the closure must not call `withLock` on the same lock again.
    ///
    /// - Parameter body: A closure that reads or modifies the value.
    /// - Returns: The closure's return value.
    /// - Throws: The error thrown by the closure. Changes that the closure made before throwing are kept.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(Darwin)
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
        #else
        return try lock.withLock { _ throws(Failure) in
            // The result never leaves the caller's isolation. We could use a generic `Sendable` wrapper
            // instead, but the runtime would then have to look up the wrapper's type on every call.
            nonisolated(unsafe) let result = try body(&value)
            return result
        }
        #endif
    }
}
