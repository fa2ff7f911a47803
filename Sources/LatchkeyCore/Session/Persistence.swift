/// Where a login is stored.
///
/// The choice determines how long the user stays logged in on this device.
public enum Persistence: Hashable, Sendable {
    /// The session is saved in the client's store, so it survives a restart of the app and is shared by all
    /// of the app's processes.
    case device
    /// The login is only kept in this process's memory.
    ///
    /// If the store contains the session of an earlier login, that session is removed. The new session isn't
    /// stored, so no user is logged in after a restart. Other processes of the app don't see this login, and
    /// later logins in those processes don't replace it.
    case memory
}
