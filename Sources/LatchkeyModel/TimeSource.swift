/// The wall clock and the waiting that a part may do; a test puts a virtual one in its place.
public protocol TimeSource: Sendable {
    /// The time now.
    var now: Timestamp { get }

    /// Waits.
    ///
    /// - Parameter duration: How long.
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(for duration: Duration) async throws
}
