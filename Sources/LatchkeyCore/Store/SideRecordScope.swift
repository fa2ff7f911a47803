/// The scopes of the values that a session store keeps alongside the session, called side records.
///
/// All side records in a scope are stored together, as a single record in a separate store.
public enum SideRecordScope: String, Sendable, CaseIterable {
    /// Side records that are removed when the user signs out.
    case login
    /// Side records that stay on the device after a sign-out.
    case device
}
