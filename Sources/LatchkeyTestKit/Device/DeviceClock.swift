public import LatchkeyModel

/// The clock of a device: the test server's, but wrong by as much as a test wants.
public final class DeviceClock: TimeSource {
    private let time: VirtualTime
    private let offset = Locked(Duration.zero)

    init(_ time: VirtualTime) {
        self.time = time
    }

    /// How far the clock is ahead of the server's; less than zero for one that is behind.
    public var skew: Duration {
        get { offset.withLock { $0 } }
        set { offset.withLock { $0 = newValue } }
    }

    /// What the clock shows.
    public var now: Timestamp { time.now + skew }

    /// The test server's, which is not skewed.
    public var uptime: Duration { time.uptime }

    /// Waits until time has moved on that far, whatever the clock shows.
    ///
    /// - Parameter duration: How far; zero and less return at once.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await time.sleep(for: duration)
    }
}
