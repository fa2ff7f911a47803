import LatchkeyModel

/// Lasts as long as a store tells somebody of changes to its record.
///
/// Letting go of it ends the telling, as does ``stop()``; a call that is already on its way may still come.
public final class StoreWatch: Sendable {
    private let ending: Locked<(@Sendable () -> Void)?>

    /// Creates a watch that is under way.
    ///
    /// - Parameter ending: Ends it; called once.
    public init(ending: @escaping @Sendable () -> Void) {
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
