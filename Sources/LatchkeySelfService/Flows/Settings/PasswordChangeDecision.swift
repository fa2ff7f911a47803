import LatchkeyWire

/// The decision on whether a session may set a new password.
enum PasswordChangeDecision: Hashable, Sendable {
    /// The change continues with the expensive checks, or is saved.
    case proceed

    /// The change requires a recent login.
    case refresh

    /// The session has ended, or the account was disabled or deleted.
    case end

    /// The change is rejected with a message about the whole form.
    case refuse(UIMessage)

    /// The facts that are known before the password is checked and hashed.
    struct Facts: Sendable {
        /// Whether the session's login is recent and its token has not been replaced.
        var isPrivileged = true

        /// Whether the account exists and is enabled.
        var isActive = true

        /// Whether the account has a password.
        var hasPassword = false

        /// Whether the session's evidence is sufficient to replace the account's password.
        var allowsReplacement = true
    }

    /// The facts that the transaction of the change reads after the new hash was computed.
    struct LateFacts: Sendable {
        /// Whether the session and the account are still active.
        var isOpen = true

        /// Whether the session is still privileged.
        var isPrivileged = true

        /// Whether the account still has the password against which the new one was compared.
        var hasSamePassword = true
    }

    /// Decides whether a change may proceed to the expensive checks and hash.
    ///
    /// Privilege is checked first, so the result for an unprivileged session does not depend on the account.
    init(_ facts: Facts) {
        if !facts.isPrivileged {
            self = .refresh
        } else if !facts.isActive {
            self = .end
        } else if facts.hasPassword, !facts.allowsReplacement {
            self = .refuse(.passwordNeedsProof)
        } else {
            self = .proceed
        }
    }

    /// Decides whether a hashed password may still be saved.
    init(late facts: LateFacts) {
        if !facts.isOpen {
            self = .end
        } else if !facts.isPrivileged {
            self = .refresh
        } else if !facts.hasSamePassword {
            self = .refuse(.changedMeanwhile)
        } else {
            self = .proceed
        }
    }
}
