/// Whether a user is logged in on this device.
public enum SessionState: Hashable, Sendable {
    /// No user is logged in.
    case signedOut
    /// A user is logged in: the session is stored, with this device's certificate if one is required.
    case signedIn(UserSession)
    /// The state is currently unknown.
    ///
    /// This does not mean that the user was signed out. The store is read again automatically, at least twice
    /// a minute.
    case unavailable(Unavailability)

    /// The reason why the state is unknown.
    public enum Unavailability: Hashable, Sendable {
        /// The store has not been read yet; another state follows once it has been read.
        case notReadYet
        /// The store could not be read: it is locked or damaged, or its record has a newer version.
        case store(SessionStoreError)
    }
}

extension SessionState {
    /// The session, or `nil` unless the state is ``signedIn(_:)``.
    public var session: UserSession? {
        if case .signedIn(let session) = self { session } else { nil }
    }
}
