import LatchkeyModel

/// A lock that lets only one of the processes that share a session refresh its tokens at a time.
///
/// The lock serves only to avoid redundant requests. A process that has waited long enough continues without
/// the lock, and the server gives both processes the same new tokens. A suspended holder therefore delays the
/// others only briefly, and a terminated holder does not delay them at all.
public protocol RefreshLock: Sendable {
    /// Waits for the lock. It blocks the thread, so the engine calls it outside the cooperative pool.
    ///
    /// - Parameter time: The maximum time to wait, in real time.
    /// - Returns: The lock, or `nil` if another holder kept it the whole time or no lock is available. In
    ///   this case, the caller continues without the lock.
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
