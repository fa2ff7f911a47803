/// The outcome of the first attempt to send a message.
package enum FirstAttempt: Hashable, Sendable {
    /// The message was sent.
    case sent
    /// The message was abandoned.
    case refused
    /// The message is still to be sent, or the outcome is not known in time.
    case pending
}
