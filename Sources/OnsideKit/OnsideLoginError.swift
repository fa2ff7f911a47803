/// The error of a login that ended without a session.
public enum OnsideLoginError: Error, Hashable, Sendable {
    /// The user dismissed the login, or it ended without a session for another reason, which is written to the log.
    case loginDiscarded
}
