/// The decision about a login with the correct password.
enum PasswordLoginDecision: Hashable, Sendable {
    /// The operator has disabled the account; the login counts as a failure, so that such logins are
    /// rate-limited.
    case disabled

    /// The login requires a verified address, and the operator's rule rejects it with a message in the form.
    case refuseUnverified

    /// The login requires a verified address, and the operator's rule begins verifications.
    case verify

    /// A session is opened; `rehashing` states whether the password is hashed again with the current
    /// parameters.
    case open(rehashing: Bool)

    /// The facts on which the decision about a login is based.
    struct Facts: Sendable {
        /// Whether the hash of the password was created with parameters other than the configured ones.
        let isOutdated: Bool

        /// Whether the account may log in.
        let isActive: Bool

        /// Whether the rule requires a verified address that the account does not have.
        var lacksVerifiedAddress = false
    }

    /// Decides whether a login with the correct password opens a session.
    ///
    /// - Parameters:
    ///   - facts: The facts about the login.
    ///   - rule: The operator's rule for accounts without a verified address.
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
