/// The outcome of the first attempt to send a message.
package enum FirstAttempt: Hashable, Sendable {
    /// The message has been sent.
    case sent
    /// The message was abandoned and won't be sent again.
    case refused
    /// The message hasn't been sent, or it wasn't known in time whether it was.
    case pending
}
