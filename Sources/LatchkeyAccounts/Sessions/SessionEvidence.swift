package import LatchkeyModel

/// The credentials that a user has proven since the session became privileged.
///
/// The evidence determines what the session may change. For example, a code that was sent to one address is
/// enough to log in, but not to remove the account's other credentials.
package struct SessionEvidence: Hashable, Sendable {
    /// Whether the user has entered the password.
    package var hasPassword = false

    /// Whether the session was created by an account recovery, which allows the user to set a password.
    package var isRecovery = false

    /// The addresses for which the user has entered a code.
    package var addresses: Set<ContactAddress> = []

    /// Creates empty evidence, which doesn't allow the user to remove or replace any credentials.
    package init() {}

    /// The evidence for a login with a password.
    package static let password = {
        var evidence = SessionEvidence()
        evidence.hasPassword = true
        return evidence
    }()

    /// Returns the evidence for a login with a code that was sent to an address.
    package static func code(_ address: ContactAddress) -> SessionEvidence {
        var evidence = SessionEvidence()
        evidence.addresses = [address]
        return evidence
    }

    /// Returns the evidence for an account recovery.
    ///
    /// - Parameter address: The address that the code was sent to, or `nil` if an operator created the code.
    /// - Returns: The evidence for a session that is created by a recovery.
    package static func recovery(_ address: ContactAddress?) -> SessionEvidence {
        var evidence = SessionEvidence()
        evidence.isRecovery = true
        if let address { evidence.addresses = [address] }
        return evidence
    }

    /// Returns a copy with the given evidence added.
    ///
    /// When a user re-authenticates while the session is still privileged, we add the new evidence to the
    /// existing evidence.
    package func adding(_ other: SessionEvidence) -> SessionEvidence {
        var sum = self
        sum.hasPassword = hasPassword || other.hasPassword
        sum.isRecovery = isRecovery || other.isRecovery
        sum.addresses.formUnion(other.addresses)
        return sum
    }

    /// Returns whether proven addresses may be removed or replaced.
    ///
    /// - Parameter proven: The proven addresses that would be removed or replaced.
    /// - Returns: `true` if the user has entered the password, or the codes for all of these addresses.
    package func allowsRemoval(of proven: Set<ContactAddress>) -> Bool {
        hasPassword || proven.isSubset(of: addresses)
    }

    /// Returns whether an existing password may be replaced.
    ///
    /// - Parameter proven: All proven addresses of the account.
    /// - Returns: `true` if the user has entered the password, has recovered the account, or has entered the
    ///   codes for at least two of the addresses.
    package func allowsNewPassword(proven: Set<ContactAddress>) -> Bool {
        hasPassword || isRecovery || addresses.intersection(proven).count > 1
    }
}

extension SessionEvidence {
    /// Returns whether the account may be deleted.
    ///
    /// A code that was sent to one address is only enough if the account has no other credential. A recovery
    /// is never enough, because the user hasn't entered the credentials that the recovery replaces.
    ///
    /// - Parameters:
    ///   - proven: All proven addresses of the account.
    ///   - hasPassword: Whether the account has a password.
    /// - Returns: `true` if the user has entered the password, the codes for at least two proven addresses,
    ///   or the code for the account's only credential.
    package func allowsDeletion(proven: Set<ContactAddress>, hasPassword: Bool) -> Bool {
        let entered = addresses.intersection(proven)
        if self.hasPassword || entered.count > 1 { return true }
        return !hasPassword && !isRecovery && !entered.isEmpty && entered == proven
    }
}

extension SessionEvidence {
    private static let passwordLine = "password"
    private static let recoveryLine = "recovery"

    /// Parses the stored form, which is ``text``.
    ///
    /// Lines that aren't a keyword, a phone number or an email address are ignored, because a later version
    /// may have written them.
    package init(text: String) {
        for line in text.split(separator: "\n") {
            switch line {
            case Self.passwordLine: hasPassword = true
            case Self.recoveryLine: isRecovery = true
            default: ContactAddress(String(line)).map { _ = addresses.insert($0) }
            }
        }
    }

    /// The stored form, which has one line per piece of evidence.
    ///
    /// Keywords can't be mistaken for addresses because every address contains `@` or `+`. The addresses are
    /// sorted, so equal evidence always has the same text.
    package var text: String {
        ((hasPassword ? [Self.passwordLine] : []) + (isRecovery ? [Self.recoveryLine] : [])
            + addresses.map(\.value).sorted()).joined(separator: "\n")
    }
}
