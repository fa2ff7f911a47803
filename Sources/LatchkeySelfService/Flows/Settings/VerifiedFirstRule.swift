/// Which new addresses are saved only after the user has verified them.
///
/// An address that another account claims is always verified first.
public enum VerifiedFirstRule: String, Sendable, CaseIterable {
    /// A new address is saved immediately.
    case never
    /// Addresses that the user doesn't log in with are verified first.
    ///
    /// Otherwise, a user who enters another user's address would keep the owner from adding it.
    case nonIdentifiers = "non_identifiers"
    /// All new addresses are verified first.
    case always
}
