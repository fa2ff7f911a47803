/// The scopes of the side records that a session store holds beside the session's record.
///
/// All side records of a scope are stored together, as one record of a store of their own.
public enum SideRecordScope: String, Sendable, CaseIterable {
    /// The side records that end with a sign-out.
    case login
    /// The side records that remain on the device after a sign-out.
    case device
}
