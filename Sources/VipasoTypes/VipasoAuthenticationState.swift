/// Whether a user is logged in on this device.
public enum VipasoAuthenticationState: Hashable, Sendable {
    /// A user is logged in.
    case authenticated

    /// No user is logged in.
    case loggedOut

    /// The store cannot be read now, for instance because the keyring is locked; a user may be logged in.
    ///
    /// With a store that is read in the background, such as a keyring, it is also the first state. It is not
    /// a logout: do not show the login screen yet. The delegate is called when the state is known.
    case unknown
}
