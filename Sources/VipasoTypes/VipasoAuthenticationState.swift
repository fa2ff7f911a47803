/// Whether a user is logged in on this device.
public enum VipasoAuthenticationState: Hashable, Sendable {
    /// A user is logged in.
    case authenticated

    /// No user is logged in.
    case loggedOut

    /// The store cannot currently be read, for instance because the keyring is locked, so a user may be
    /// logged in.
    ///
    /// This is also the initial state while a store such as a keyring is read in the background. The user may
    /// still be logged in, so do not show the login screen yet. The delegate is called once the state is
    /// known.
    case unknown
}
