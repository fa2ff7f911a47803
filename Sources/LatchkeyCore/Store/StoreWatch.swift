import LatchkeyModel

/// A subscription to changes of a store's record.
///
/// The subscription ends when it is deallocated or when ``stop()`` is called. A notification that is already
/// in progress may still be delivered after the subscription has ended.
public final class StoreWatch: Sendable {
    /// A sentence for developers that says why changes made by other processes aren't noticed immediately, or
    /// `nil` if they are.
    public let problem: String?

    private let ending: Locked<(@Sendable () -> Void)?>

    /// Creates an active watch.
    ///
    /// - Parameters:
    ///   - problem: The reason why changes made by other processes aren't noticed immediately, or `nil` if
    ///     they are.
    ///   - ending: A closure that ends the watch and that is called exactly once.
    public init(problem: String? = nil, ending: @escaping @Sendable () -> Void) {
        self.problem = problem
        self.ending = Locked(ending)
    }

    deinit {
        stop()
    }

    /// Ends the watch.
    ///
    /// Calling this method again has no effect.
    public func stop() {
        let ending = ending.withLock { ending in
            defer { ending = nil }
            return ending
        }
        ending?()
    }
}
