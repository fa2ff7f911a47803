/// The form that a presented login starts with.
public enum LoginStart: Hashable, Sendable {
    /// The server's login form with all available methods.
    case login

    /// A form that asks for one address and sends a code to it, whether or not the address belongs to an
    /// account.
    ///
    /// The code logs the user in, and creates an account if there isn't one yet. The form only contains the
    /// inputs that the identity schema requires. Some servers don't log existing users in with a sign-up
    /// code, so these users receive a second code. A Latchkey server logs existing users in with the sign-up
    /// code if `registration.existing` is set to `log_in`.
    ///
    /// - Parameter signUpSchema: The identity schema for new accounts, or `nil` for the server's default. The
    ///   schema must allow sign-ups with a code.
    case code(signUpSchema: String?)
}
