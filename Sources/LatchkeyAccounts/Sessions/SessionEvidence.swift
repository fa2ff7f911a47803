package import LatchkeyModel

/// The credentials that a user has proven since the session became privileged.
///
/// The evidence determines what the session may change. For example, a code that was sent to one address is
/// enough to log in, but not to remove the account's other credentials.
package struct SessionEvidence: Hashable, Sendable {
    /// The names of the methods, other than codes, that the user has authenticated with.
    package var methods: Set<String> = []

    /// Whether the session was created by an account recovery, which allows the user to set a password.
    package var isRecovery = false

    /// The addresses for which the user has entered a code.
    package var addresses: Set<ContactAddress> = []

    /// Creates empty evidence, which doesn't allow the user to remove or replace any credentials.
    package init() {}

    /// The evidence for a login with a password.
    package static let password = method(.password)

    /// Returns the evidence for an authentication that proves no address.
    package static func method(_ method: AuthenticationMethod) -> SessionEvidence {
        var evidence = SessionEvidence()
        evidence.methods = [method.name]
        return evidence
    }

    /// Whether the user has entered the password.
    package var hasPassword: Bool { methods.contains(AuthenticationMethod.password.name) }

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
        sum.methods.formUnion(other.methods)
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
    /// The line for a recovery, which no method has as its name.
    static let recoveryName = "recovery"

    /// Parses the stored form, which is ``text``.
    ///
    /// Lines that aren't a phone number or an e-mail address are names of methods.
    package init(text: String) {
        for line in text.split(separator: "\n") {
            switch line {
            case Self.recoveryName: isRecovery = true
            default:
                if let address = ContactAddress(String(line)) {
                    addresses.insert(address)
                } else {
                    methods.insert(String(line))
                }
            }
        }
    }

    /// The stored form, which has one line per piece of evidence.
    ///
    /// Names can't be mistaken for addresses because every address contains `@` or `+`. The addresses are
    /// sorted, so equal evidence always has the same text.
    package var text: String {
        (methods.sorted() + (isRecovery ? [Self.recoveryName] : [])
            + addresses.map(\.value).sorted()).joined(separator: "\n")
    }
}
