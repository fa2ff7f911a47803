/// The type of a session event.
///
/// Events only say that something has changed. After an event, the client loads the new state from the
/// server.
package enum SessionEventType: String, Sendable, CaseIterable {
    /// The first event of every stream, which confirms that the session is active.
    case state
    /// The session has ended. This is the last event of the stream.
    case sessionEnded = "session_ended"
    /// The identity's traits, addresses or metadata have changed.
    case identityChanged = "identity_changed"
    /// The identity's purchases have changed.
    case transactionsChanged = "transactions_changed"
    /// The steps that the user has to take have changed.
    case dutiesChanged = "duties_changed"
}
