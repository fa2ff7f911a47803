/// An authentication method, with Kratos's name as its raw value.
package enum AuthenticationMethod: String, Sendable, CaseIterable {
    /// A password, used to log in or register.
    case password
    /// A one-time code, used to log in or register.
    case code
    /// A recovery code, used to recover an account.
    case codeRecovery = "code_recovery"
}
