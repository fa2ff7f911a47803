/// Identifies one of several accounts that a user is logged in to at the same time.
///
/// Each slot has its own record in the store. To let a user log in to several accounts, create one client per
/// slot. Signing out in one slot doesn't affect the others.
public enum AccountSlot: Hashable, Sendable {
    /// The slot for apps that only have a single login.
    case `default`
    /// An additional slot, such as `work`.
    ///
    /// The name must not be empty and must not contain control characters or `#`.
    case named(String)
}
