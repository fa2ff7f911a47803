/// A type that receives the client's log events.
///
/// Apps use this type to forward events to their logging system.
public protocol LatchkeyLogger: Sendable {
    /// Logs an event.
    ///
    /// This method may be called on any thread. The client doesn't hold a lock during the call, but it waits
    /// until the method returns, so the implementation should be fast.
    ///
    /// - Parameter event: The event, which contains neither secrets nor personal data.
    func log(_ event: LogEvent)
}
