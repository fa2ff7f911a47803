/// The form that a presented login starts with.
public enum LoginEntry: Hashable, Sendable {
    /// The server's login form with all available methods.
    case login

    /// A form that asks for one address and sends a code to it, whether or not the address belongs to an
    /// account.
    ///
    /// The code logs the user in, and creates an account if there isn't one yet. The form only contains the
    /// inputs that the identity schema requires. If the server doesn't log existing users in with a sign-up
    /// code, they receive a second code. In Latchkey, this is controlled by setting `registration.existing`
    /// to `log_in`.
    ///
    /// - Parameter signUpSchema: The identity schema for new accounts, or `nil` for the server's default. The
    ///   schema must allow sign-ups with a code.
    case code(signUpSchema: String?)
}
