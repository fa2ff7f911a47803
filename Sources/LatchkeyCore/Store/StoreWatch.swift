import LatchkeyModel

/// Lasts as long as a store tells somebody of changes to its record.
///
/// Letting go of it ends the telling, as does ``stop()``; a call that is already on its way may still come.
public final class StoreWatch: Sendable {
    /// Why changes by other processes are noticed late, in sentences for a developer; `nil` if they are not.
    public let problem: String?

    private let ending: Locked<(@Sendable () -> Void)?>

    /// Creates a watch that is under way.
    ///
    /// - Parameters:
    ///   - problem: Why changes by other processes are noticed late, in sentences for a developer.
    ///   - ending: Ends it; called once.
    public init(problem: String? = nil, ending: @escaping @Sendable () -> Void) {
        self.problem = problem
        self.ending = Locked(ending)
    }

    deinit {
        stop()
    }

    /// Ends the telling; later calls do nothing.
    public func stop() {
        let ending = ending.withLock { ending in
            defer { ending = nil }
            return ending
        }
        ending?()
    }
}
