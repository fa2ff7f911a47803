/// The storage of a login, which determines how long the login lasts on this device.
public enum Persistence: Hashable, Sendable {
    /// In the client's store: the session survives a restart, and all processes of the app share it.
    case device
    /// In the memory of this process only.
    ///
    /// The login removes the session in the store, if there is one, and is not written to it: after a restart,
    /// no user is logged in. Other processes of the app do not see the login, and their later logins do not
    /// replace it.
    case process
}
