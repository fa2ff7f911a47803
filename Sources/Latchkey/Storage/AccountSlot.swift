/// One of several logins of an app on one device.
///
/// Each slot has its own record in the store, so that a user can be logged in to several accounts at once, with
/// one client per slot. Signing out in one slot does not affect the others.
public enum AccountSlot: Hashable, Sendable {
    /// The slot of an app with a single login.
    case `default`
    /// An additional slot, such as `work`; its name must not be empty or contain control characters or `#`.
    case named(String)
}
