/// The evidence that the owner of a session has given since it became privileged; it decides what the session may change.
///
/// A code to one address opens an account, but does not show that the caller may take the other ways into it away.
package struct SessionEvidence: Hashable, Sendable {
    /// Whether the password was entered.
    package var hasPassword = false

    /// Whether the session was opened by a recovery, which may set a password.
    package var isRecovery = false

    /// The addresses whose codes were entered.
    package var addresses: Set<Traits.Address> = []

    package init() {}

    /// The evidence of a login with a password.
    package static let password = {
        var evidence = SessionEvidence()
        evidence.hasPassword = true
        return evidence
    }()

    /// The evidence of a login with a code.
    package static func code(_ address: Traits.Address) -> SessionEvidence {
        var evidence = SessionEvidence()
        evidence.addresses = [address]
        return evidence
    }

    /// The evidence of a recovery: with a code to an address, or with one that the operator handed out.
    package static func recovery(_ address: Traits.Address?) -> SessionEvidence {
        var evidence = SessionEvidence()
        evidence.isRecovery = true
        if let address { evidence.addresses = [address] }
        return evidence
    }

    /// Both pieces of evidence together.
    package func adding(_ other: SessionEvidence) -> SessionEvidence {
        var sum = self
        sum.hasPassword = hasPassword || other.hasPassword
        sum.isRecovery = isRecovery || other.isRecovery
        sum.addresses.formUnion(other.addresses)
        return sum
    }

    /// Whether proven addresses may be removed or replaced.
    package func allowsRemoval(of proven: Set<Traits.Address>) -> Bool {
        hasPassword || proven.isSubset(of: addresses)
    }

    /// Whether an existing password may be replaced.
    ///
    /// - Parameter proven: The addresses of the account that are proven.
    /// - Returns: `false` if the password or a code to another address is needed first.
    package func allowsNewPassword(proven: Set<Traits.Address>) -> Bool {
        hasPassword || isRecovery || addresses.intersection(proven).count > 1
    }
}

extension SessionEvidence {
    private static let passwordLine = "password"
    private static let recoveryLine = "recovery"

    /// Reads what ``text`` wrote; lines of later versions are ignored.
    package init(text: String) {
        for line in text.split(separator: "\n") {
            switch line {
            case Self.passwordLine: hasPassword = true
            case Self.recoveryLine: isRecovery = true
            default: Traits.Address(String(line)).map { _ = addresses.insert($0) }
            }
        }
    }

    /// One line for each piece; no address is a single word without `@` or `+`.
    package var text: String {
        ((hasPassword ? [Self.passwordLine] : []) + (isRecovery ? [Self.recoveryLine] : [])
            + addresses.map(\.value).sorted()).joined(separator: "\n")
    }
}
