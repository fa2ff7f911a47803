import LatchkeyModel

/// A subscription to changes to a store's record.
///
/// It ends when it is released or ``stop()`` is called; a call already in progress may still arrive
/// afterwards.
public final class StoreWatch: Sendable {
    /// The reason, for developers, why changes by other processes are noticed late; `nil` if they are noticed
    /// promptly.
    public let problem: String?

    private let ending: Locked<(@Sendable () -> Void)?>

    /// Creates an active watch.
    ///
    /// - Parameters:
    ///   - problem: The reason why changes by other processes are noticed late, or `nil`.
    ///   - ending: Ends the watch; called once.
    public init(problem: String? = nil, ending: @escaping @Sendable () -> Void) {
        self.problem = problem
        self.ending = Locked(ending)
    }

    deinit {
        stop()
    }

    /// Ends the watch; later calls have no effect.
    public func stop() {
        let ending = ending.withLock { ending in
            defer { ending = nil }
            return ending
        }
        ending?()
    }
}
