import LatchkeyAccounts

/// The decision about a login with a password.
enum PasswordLoginDecision: Hashable, Sendable {
    /// The identifier or the password is wrong, and the login counts as a failure.
    case refuse

    /// The operator has disabled the account, and the login counts as a failure, which limits the number of
    /// such logins.
    case disabled

    /// The login requires a verified address, and the operator's rule rejects it with a message in the form.
    case refuseUnverified

    /// The login requires a verified address, and the operator's rule begins verifications.
    case verify

    /// A session is opened; `rehashing` states whether a hash with the current parameters replaces the old
    /// one.
    case open(rehashing: Bool)

    /// The facts about a login.
    struct Facts: Sendable {
        /// The result of checking the account's password; `wrong` if there is no account with a password.
        let verdict: PasswordVerdict

        /// Whether the account is allowed to log in; `false` if there is no account.
        let isActive: Bool

        /// Whether the rule requires a verified address that the account does not have.
        var lacksVerifiedAddress = false
    }

    /// Decides about a login.
    ///
    /// - Parameters:
    ///   - facts: The facts about the login.
    ///   - rule: The operator's rule for accounts without a verified address.
    init(_ facts: Facts, rule: VerifiedAddressRule) {
        guard case .right(let isOutdated) = facts.verdict else {
            self = .refuse
            return
        }
        if !facts.isActive {
            self = .disabled
        } else if facts.lacksVerifiedAddress, rule != .optional {
            self = rule == .required ? .verify : .refuseUnverified
        } else {
            self = .open(rehashing: isOutdated)
        }
    }
}
