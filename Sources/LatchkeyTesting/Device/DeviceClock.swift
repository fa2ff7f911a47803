public import LatchkeyModel

/// A device's clock, which follows the test server's clock with an adjustable skew.
public final class DeviceClock: TimeSource {
    private let time: VirtualTime
    private let offset = Locked(Duration.zero)

    /// Creates a clock that follows the server's clock with the given skew.
    package init(_ time: VirtualTime, skew: Duration = .zero) {
        self.time = time
        offset.withLock { $0 = skew }
    }

    /// The difference from the server's clock; negative if the device's clock is behind.
    ///
    /// A change takes effect the next time ``now`` is read. The change neither wakes nor delays sleeping
    /// tasks.
    public var skew: Duration {
        get { offset.withLock { $0 } }
        set { offset.withLock { $0 = newValue } }
    }

    /// The time of the device, which differs from the server's time by the skew.
    public var now: Timestamp { time.now + skew }

    /// The monotonic time of the test server, which the device's skew does not affect.
    public var uptime: Duration { time.uptime }

    /// Waits until the test server's clock has advanced by a duration; the skew has no effect.
    ///
    /// - Parameter duration: The duration; if it is zero or negative, the method returns immediately.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await time.sleep(for: duration)
    }
}
