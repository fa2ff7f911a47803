/// Whether a user is logged in on this device.
public enum SessionState: Hashable, Sendable {
    /// No user is logged in.
    case signedOut
    /// A user is logged in. The session is stored, together with this device's certificate if one is
    /// required.
    case signedIn(UserSession)
    /// It is currently unknown whether a user is logged in.
    ///
    /// This doesn't mean that the user was signed out. The store is read again automatically at least twice a
    /// minute.
    case unavailable(Unavailability)

    /// The reason why the state is unknown.
    public enum Unavailability: Hashable, Sendable {
        /// The store hasn't been read yet. The state changes once the store has been read.
        case notReadYet
        /// The store could not be read because it is locked or damaged, or because its record was written by
        /// a newer version.
        case store(SessionStoreError)
    }
}

extension SessionState {
    /// The session if the state is ``signedIn(_:)``, or `nil` otherwise.
    public var session: UserSession? {
        if case .signedIn(let session) = self { session } else { nil }
    }
}
