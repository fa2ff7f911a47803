/// The outcome of the first attempt to send a message.
package enum FirstAttempt: Hashable, Sendable {
    /// The message was sent.
    case sent
    /// The message was abandoned.
    case refused
    /// The message has not been sent yet, or the outcome was not known in time.
    case pending
}
