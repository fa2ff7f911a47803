/// A method by which a user authenticated, with Kratos's name.
package enum AuthenticationMethod: String, Sendable, CaseIterable {
    /// A password in a login or a registration.
    case password
    /// A one-time code in a login or a registration.
    case code
    /// The code of a recovery.
    case codeRecovery = "code_recovery"
}
