/// A method by which a user authenticated, with Kratos's name.
package enum AuthenticationMethod: String, Sendable, CaseIterable {
    case password
    /// A one-time code in a login or a registration.
    case code
    /// The code of a recovery.
    case codeRecovery = "code_recovery"
}
