/// An authentication method, and what it is worth.
///
/// Each method defines its own value next to its code.
package struct AuthenticationMethod: Hashable, Sendable {
    /// The name, which is Kratos's if Kratos has the method.
    ///
    /// It consists of lower-case letters and underscores.
    package let name: String
    /// The value in the `amr` claim of tokens (RFC 8176).
    package let reference: String
    /// The assurance level that the method provides.
    package let level: AssuranceLevel

    package init(_ name: String, reference: String, level: AssuranceLevel = .aal1) {
        self.name = name
        self.reference = reference
        self.level = level
    }

    package static let password = AuthenticationMethod("password", reference: "pwd")
    /// A one-time code that was sent to an address.
    package static let code = AuthenticationMethod("code", reference: "otp")
    /// A code that recovered the account.
    package static let codeRecovery = AuthenticationMethod("code_recovery", reference: "otp")
}
