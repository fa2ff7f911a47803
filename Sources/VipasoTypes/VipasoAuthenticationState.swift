/// Whether a user is logged in on this device.
public enum VipasoAuthenticationState: Hashable, Sendable {
    /// A user is logged in.
    case authenticated

    /// No user is logged in.
    case loggedOut

    /// It is not known whether a user is logged in, for example because the keyring is locked and cannot be
    /// read.
    ///
    /// The state is also `unknown` initially, while a store such as a keyring is being read in the
    /// background. The user may still be logged in, so do not show the login screen yet. The delegate is
    /// called when the state becomes known.
    case unknown
}
