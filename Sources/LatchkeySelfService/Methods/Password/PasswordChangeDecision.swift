import LatchkeyWire

/// Decides whether a session may set a new password.
enum PasswordChangeDecision: Hashable, Sendable {
    /// The change passed this check and may proceed.
    case proceed

    /// The change requires a recent login.
    case refresh

    /// The session has ended, or the account was disabled or deleted.
    case end

    /// The change is rejected with a message that is shown for the form rather than for a single field.
    case refuse(UIMessage)

    /// Information that is available before the password is checked and hashed.
    struct Facts: Sendable {
        /// Whether the user has logged in recently and the session's token hasn't been replaced.
        var isPrivileged = true

        /// Whether the account exists and is enabled.
        var isActive = true

        /// Whether the account has a password.
        var hasPassword = false

        /// Whether the credentials proven in this session are sufficient to replace the account's password.
        var allowsReplacement = true
    }

    /// Information that is read in the transaction after the new password has been hashed.
    struct LateFacts: Sendable {
        /// Whether the session and the account are still active.
        var isOpen = true

        /// Whether the session is still privileged.
        var isPrivileged = true

        /// Whether the account's password is still the same as before the new one was hashed.
        var hasSamePassword = true
    }

    /// Decides whether the new password may be checked and hashed, which is expensive.
    ///
    /// Privilege is checked first, so that the result for an unprivileged session doesn't depend on the
    /// account.
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

    /// Decides whether a password can still be saved after it has been hashed.
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
