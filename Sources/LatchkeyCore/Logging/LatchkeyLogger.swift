/// A receiver of the client's log events, which an app forwards to its logging system.
public protocol LatchkeyLogger: Sendable {
    /// Records an event.
    ///
    /// Called on any thread, without a lock of the client. The client waits for the call, so it should return
    /// quickly.
    ///
    /// - Parameter event: The event, which contains neither secrets nor personal data.
    func log(_ event: LogEvent)
}
