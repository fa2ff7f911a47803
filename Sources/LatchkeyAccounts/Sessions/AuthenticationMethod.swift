/// An authentication method, and what it is worth.
///
/// Each method defines its own value next to its code.
package struct AuthenticationMethod: Hashable, Sendable {
    /// The name, which is Kratos's if Kratos has the method.
    package let name: String
    /// The value in the `amr` claim of tokens (RFC 8176).
    package let reference: String
    /// The assurance level that the method provides.
    package let level: AssuranceLevel

    /// Defines a method.
    ///
    /// The name and the reference consist of lower-case letters, digits and underscores, and the name isn't
    /// `recovery`. Other values are a programming error, because they can't be stored with a session.
    package init(_ name: String, reference: String, level: AssuranceLevel = .aal1) {
        // All methods are constants of the program.
        precondition(Self.isWord(name) && Self.isWord(reference) && name != SessionEvidence.recoveryName)
        self.init(stored: name, reference: reference, level: level)
    }

    /// Creates a method that was stored with a session, and that this server may not have.
    init(stored name: String, reference: String, level: AssuranceLevel) {
        self.name = name
        self.reference = reference
        self.level = level
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            }
    }

    package static let password = AuthenticationMethod("password", reference: "pwd")
    /// A one-time code that was sent to an address.
    package static let code = AuthenticationMethod("code", reference: "otp")
    /// A code that recovered the account.
    package static let codeRecovery = AuthenticationMethod("code_recovery", reference: "otp")
}
