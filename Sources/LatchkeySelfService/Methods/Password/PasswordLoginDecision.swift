/// Decides how to continue a login with the correct password.
enum PasswordLoginDecision: Hashable, Sendable {
    /// The operator has disabled the account. The login counts as a failure, so that such logins are
    /// rate-limited.
    case disabled

    /// The login requires a verified address. The form shows a message.
    case refuseUnverified

    /// The login requires a verified address. Verification codes are sent.
    case verify

    /// A session is created. If `rehashing` is `true`, the password is hashed again with the current
    /// parameters.
    case open(rehashing: Bool)

    /// The information that the decision is based on.
    struct Facts: Sendable {
        /// Whether the password hash was created with parameters that differ from the configured ones.
        let isOutdated: Bool

        /// Whether the account is allowed to log in.
        let isActive: Bool

        /// Whether the server's settings require a verified address and the account doesn't have one.
        var lacksVerifiedAddress = false
    }

    /// Decides whether a login with the correct password creates a session.
    ///
    /// - Parameters:
    ///   - facts: Information about the account and its password.
    ///   - rule: The operator's setting for accounts without a verified address.
    init(_ facts: Facts, rule: VerifiedAddressRule) {
        if !facts.isActive {
            self = .disabled
        } else if facts.lacksVerifiedAddress, rule != .optional {
            self = rule == .required ? .verify : .refuseUnverified
        } else {
            self = .open(rehashing: facts.isOutdated)
        }
    }
}
