/// The first form of the logins that a client presents.
public enum LoginEntry: Hashable, Sendable {
    /// The server's login form, with all its methods.
    case login

    /// A form for one address, to which a code is sent, whether or not the address belongs to an account.
    ///
    /// The code logs the user in; the account is created if there is none. The form contains only the inputs that the
    /// identity schema requires. If the server does not log existing users in with a sign-up code (Latchkey's setting
    /// `registration.existing` with the value `log_in`), they receive another code after the first one.
    ///
    /// - Parameter signUpSchema: The identity schema of a new account, which must allow sign-ups with a code; `nil` for
    ///   the server's default.
    case code(signUpSchema: String?)
}
