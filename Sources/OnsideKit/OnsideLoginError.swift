/// The error returned when a login ends without a session.
public enum OnsideLoginError: Error, Hashable, Sendable {
    /// The user dismissed the login, or it failed for another reason that is written to the log.
    case loginDiscarded
}
