package import LatchkeyModel

/// The credentials that a user has proven since the session became privileged.
///
/// The evidence determines what the session may change.
///
/// A code sent to one address is enough to log in, but not to remove the account's other credentials.
package struct SessionEvidence: Hashable, Sendable {
    /// Whether the password was entered.
    package var hasPassword = false

    /// Whether an account recovery opened the session, which permits setting a password.
    package var isRecovery = false

    /// The addresses whose codes were entered.
    package var addresses: Set<ContactAddress> = []

    /// Creates empty evidence, which permits no removal or replacement of a credential.
    package init() {}

    /// The evidence for a login with a password.
    package static let password = {
        var evidence = SessionEvidence()
        evidence.hasPassword = true
        return evidence
    }()

    /// Returns the evidence for a login with a code.
    package static func code(_ address: ContactAddress) -> SessionEvidence {
        var evidence = SessionEvidence()
        evidence.addresses = [address]
        return evidence
    }

    /// Returns the evidence for an account recovery.
    ///
    /// - Parameter address: The address to which the code was sent; `nil` for a code that the operator
    ///   created.
    /// - Returns: The evidence of the recovery.
    package static func recovery(_ address: ContactAddress?) -> SessionEvidence {
        var evidence = SessionEvidence()
        evidence.isRecovery = true
        if let address { evidence.addresses = [address] }
        return evidence
    }

    /// Returns the union of two sets of evidence.
    ///
    /// The evidence is added when the user of a session that is still privileged re-authenticates.
    package func adding(_ other: SessionEvidence) -> SessionEvidence {
        var sum = self
        sum.hasPassword = hasPassword || other.hasPassword
        sum.isRecovery = isRecovery || other.isRecovery
        sum.addresses.formUnion(other.addresses)
        return sum
    }

    /// Returns whether proven addresses may be removed or replaced.
    ///
    /// - Parameter proven: The proven addresses that the change affects.
    /// - Returns: `true` if the password was entered, or if the codes for all of these addresses were
    ///   entered.
    package func allowsRemoval(of proven: Set<ContactAddress>) -> Bool {
        hasPassword || proven.isSubset(of: addresses)
    }

    /// Returns whether an existing password may be replaced.
    ///
    /// - Parameter proven: All proven addresses of the account.
    /// - Returns: `true` if the password was entered, if the account was recovered, or if the codes for at
    ///   least two of the addresses were entered.
    package func allowsNewPassword(proven: Set<ContactAddress>) -> Bool {
        hasPassword || isRecovery || addresses.intersection(proven).count > 1
    }
}

extension SessionEvidence {
    /// Returns whether the account may be deleted.
    ///
    /// A code to one address is sufficient only if the account has no other credential. A recovery is never
    /// sufficient, because it replaces the credentials that its user could not prove.
    ///
    /// - Parameters:
    ///   - proven: All proven addresses of the account.
    ///   - hasPassword: Whether the account has a password.
    /// - Returns: `true` if the password was entered, if the codes for at least two proven addresses were entered,
    ///   or if the code for the only credential was entered.
    package func allowsDeletion(proven: Set<ContactAddress>, hasPassword: Bool) -> Bool {
        let entered = addresses.intersection(proven)
        if self.hasPassword || entered.count > 1 { return true }
        return !hasPassword && !isRecovery && !entered.isEmpty && entered == proven
    }
}

extension SessionEvidence {
    private static let passwordLine = "password"
    private static let recoveryLine = "recovery"

    /// Parses the stored form, ``text``.
    ///
    /// Unknown lines, which a later version may have written, are ignored.
    ///
    /// A line is unknown if it is neither a keyword nor a phone number nor an e-mail address.
    package init(text: String) {
        for line in text.split(separator: "\n") {
            switch line {
            case Self.passwordLine: hasPassword = true
            case Self.recoveryLine: isRecovery = true
            default: ContactAddress(String(line)).map { _ = addresses.insert($0) }
            }
        }
    }

    /// The stored form, with one line for each piece of evidence.
    ///
    /// Keywords cannot be mistaken for addresses, because every address contains `@` or `+`.
    ///
    /// Addresses are sorted, so equal evidence has the same text.
    package var text: String {
        ((hasPassword ? [Self.passwordLine] : []) + (isRecovery ? [Self.recoveryLine] : [])
            + addresses.map(\.value).sorted()).joined(separator: "\n")
    }
}
