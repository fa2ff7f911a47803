import LatchkeyModel

/// A lock that allows only one process to refresh the tokens of a shared session at a time.
///
/// The lock is only used to avoid redundant requests. If a process has waited long enough, it continues
/// without the lock, and the server gives both processes the same new tokens. A process that is suspended
/// while it holds the lock therefore only delays the others briefly. A process that is terminated releases
/// the lock immediately.
public protocol RefreshLock: Sendable {
    /// Waits for the lock. This method blocks the thread, so it isn't called on the threads of the
    /// cooperative pool.
    ///
    /// - Parameter time: The maximum time to wait, in real time.
    /// - Returns: The lock, or `nil` if it could not be acquired in time or isn't available. In this case,
    ///   the caller continues without the lock.
    func wait(atMost time: Duration) -> HeldRefreshLock?
}

/// A refresh lock that has been acquired, and that is held until it is released or deallocated.
public final class HeldRefreshLock: Sendable {
    private let releasing: Locked<(@Sendable () -> Void)?>

    /// Creates a lock that has already been acquired.
    ///
    /// - Parameter releasing: A closure that releases the lock and that is called exactly once.
    public init(releasing: @escaping @Sendable () -> Void) {
        self.releasing = Locked(releasing)
    }

    deinit {
        release()
    }

    /// Releases the lock.
    ///
    /// Calling this method again has no effect.
    public func release() {
        let releasing = releasing.withLock { releasing in
            defer { releasing = nil }
            return releasing
        }
        releasing?()
    }
}
