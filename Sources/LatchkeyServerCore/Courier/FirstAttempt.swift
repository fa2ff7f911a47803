/// What is known of a message after the first attempt to send it.
package enum FirstAttempt: Hashable, Sendable {
    /// It was sent.
    case sent
    /// It was given up.
    case refused
    /// It is still to be sent, or nothing was heard in time.
    case pending
}
