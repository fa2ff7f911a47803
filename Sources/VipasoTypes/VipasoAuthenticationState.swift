/// Whether a user is logged in on this device.
public enum VipasoAuthenticationState: Hashable, Sendable {
    /// A user is logged in.
    case authenticated

    /// No user is logged in.
    case loggedOut

    /// The store cannot currently be read, for instance because the keyring is locked; a user may be logged
    /// in.
    ///
    /// If the store is read in the background, as a keyring is, this is also the initial state. It does not
    /// mean that the user was logged out: do not show the login screen yet. The delegate is called once the
    /// state is known.
    case unknown
}
