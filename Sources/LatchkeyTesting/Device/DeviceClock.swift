public import LatchkeyModel

/// A device's clock, which follows the test server's clock with an adjustable skew.
public final class DeviceClock: TimeSource {
    private let time: VirtualTime
    private let offset = Locked(Duration.zero)

    /// Creates a clock that differs from the server's clock by the given skew.
    package init(_ time: VirtualTime, skew: Duration = .zero) {
        self.time = time
        offset.withLock { $0 = skew }
    }

    /// The difference from the server's clock.
    ///
    /// The skew is negative if the device's clock is behind.
    ///
    /// A change takes effect the next time ``now`` is read. Changing the skew doesn't wake or delay sleeping
    /// tasks.
    public var skew: Duration {
        get { offset.withLock { $0 } }
        set { offset.withLock { $0 = newValue } }
    }

    /// The time on the device, which is the server's time plus the skew.
    public var now: Timestamp { time.now + skew }

    /// The test server's monotonic time, which isn't affected by the skew.
    public var uptime: Duration { time.uptime }

    /// Waits until the test server's clock has advanced by the given duration.
    ///
    /// The skew doesn't affect how long this method waits.
    ///
    /// - Parameter duration: How long to wait. If the duration is zero or negative, the method returns
    ///   immediately.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await time.sleep(for: duration)
    }
}
