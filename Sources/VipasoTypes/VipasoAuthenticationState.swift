/// Whether a user is logged in on this device.
public enum VipasoAuthenticationState: Hashable, Sendable {
    /// A user is logged in.
    case authenticated

    /// No user is logged in.
    case loggedOut

    /// The store cannot be read now, for instance because the keyring is locked; a user may be logged in.
    ///
    /// It is also the state of the first moment with a store that is not read at once, such as a keyring. This is no
    /// logout: do not show the login screen yet. The delegate is called when the state is known.
    case unknown
}
