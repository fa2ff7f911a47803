/// Whether somebody is logged in on this device.
public enum SessionState: Sendable {
    /// Nobody is.
    case signedOut
    /// Somebody is: the session and this device's certificate are in place.
    case signedIn(Session)
    /// It is not known now. This is not a sign-out: the store is read again by itself, at least twice a minute.
    case unavailable(Unavailability)

    /// Why the state cannot be told.
    public enum Unavailability: Sendable {
        /// The store has not been read yet; a state that can be told follows.
        case notReadYet
        /// The store could not be read: locked, damaged, or written by a newer version.
        case store(SessionStoreError)
    }
}

extension SessionState {
    /// The session, when somebody is logged in.
    public var session: Session? {
        if case .signedIn(let session) = self { session } else { nil }
    }
}
