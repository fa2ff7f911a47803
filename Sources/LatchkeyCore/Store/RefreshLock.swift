import LatchkeyModel

/// A lock with which the processes that share a session refresh its tokens one at a time.
///
/// It only saves requests. A process that has waited long enough continues without it, and the server gives
/// both processes the same new tokens. A holder that was stopped therefore delays the others only briefly,
/// and one that died not at all.
public protocol RefreshLock: Sendable {
    /// Waits for the lock; blocks the thread, so the engine calls it off the cooperative pool.
    ///
    /// - Parameter time: The longest time to wait, in real time.
    /// - Returns: The lock, or `nil` if another holder had it all the time or there can be none. The caller
    ///   then continues without it.
    func wait(atMost time: Duration) -> HeldRefreshLock?
}

/// A refresh lock that is held until it is released or deallocated.
public final class HeldRefreshLock: Sendable {
    private let releasing: Locked<(@Sendable () -> Void)?>

    /// Creates a held lock.
    ///
    /// - Parameter releasing: Releases the lock; called once.
    public init(releasing: @escaping @Sendable () -> Void) {
        self.releasing = Locked(releasing)
    }

    deinit {
        release()
    }

    /// Releases the lock; later calls have no effect.
    public func release() {
        let releasing = releasing.withLock { releasing in
            defer { releasing = nil }
            return releasing
        }
        releasing?()
    }
}
