/// The type of an event about a session.
///
/// Events say that something has changed, and the client reads the new state from the server.
package enum SessionEventType: String, Sendable, CaseIterable {
    /// The first event of a stream, which confirms that the session is active.
    case state
    /// The session has ended; the stream ends with this event.
    case sessionEnded = "session_ended"
    /// The traits, the addresses or the metadata of the identity have changed.
    case identityChanged = "identity_changed"
    /// The purchases of the identity have changed.
    case transactionsChanged = "transactions_changed"
}
