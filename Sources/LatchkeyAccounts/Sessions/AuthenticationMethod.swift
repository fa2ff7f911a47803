/// An authentication method.
///
/// The raw values are the names that Kratos uses.
package enum AuthenticationMethod: String, Sendable, CaseIterable {
    /// The user logged in or registered with a password.
    case password
    /// The user logged in or registered with a one-time code.
    case code
    /// The user recovered the account with a recovery code.
    case codeRecovery = "code_recovery"
}
