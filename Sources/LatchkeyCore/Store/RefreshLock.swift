import LatchkeyModel

/// Lets one of the processes that share a session refresh its tokens at a time.
///
/// It saves requests, and that is all it is for: whoever waited long enough goes on without it, and the server
/// gives both of them the same new tokens. So a holder that was stopped keeps nobody waiting for long, and one that
/// died keeps nobody waiting at all.
public protocol RefreshLock: Sendable {
    /// Waits for the lock; blocks the thread, so that the engine calls it off the cooperative pool.
    ///
    /// - Parameter time: How long to wait, in real time.
    /// - Returns: The lock; nothing when somebody else held it all the time, or when there can be none. The caller
    ///   then goes on without it.
    func wait(atMost time: Duration) -> HeldRefreshLock?
}

/// A refresh lock that somebody holds, until it is released or let go of.
public final class HeldRefreshLock: Sendable {
    private let releasing: Locked<(@Sendable () -> Void)?>

    /// Creates a lock that is held.
    ///
    /// - Parameter releasing: Gives it back; called once.
    public init(releasing: @escaping @Sendable () -> Void) {
        self.releasing = Locked(releasing)
    }

    deinit {
        release()
    }

    /// Gives the lock back; later calls do nothing.
    public func release() {
        let releasing = releasing.withLock { releasing in
            defer { releasing = nil }
            return releasing
        }
        releasing?()
    }
}
