import LatchkeyAccounts
package import LatchkeyModel

/// A one-time code as stored, with its address, expiry and number of guesses.
///
/// Only the MAC of the digits is stored.
package struct IssuedCode: Hashable, Sendable {
    /// The state of a code.
    package enum State: Sendable {
        /// The code accepts guesses; every other state can follow.
        case open
        /// The code was entered correctly; this state is final.
        case used
        /// The code has expired; this state is final.
        case expired
        /// The code has no guesses left; it can only expire.
        case exhausted
    }

    /// The address to which the code was sent.
    package var address: ContactAddress

    /// The account that the code logs in to, or whose address it verifies; `nil` while there is no account.
    ///
    /// A decoy has a random id.
    package var identityID: Identifier?

    /// The stored MAC (``CodeKeys``).
    package var sealed: [UInt8]

    /// The number of guesses that count toward the limit.
    package var attempts: Int

    /// The expiry; the code is not accepted at or after it.
    package var expiresAt: Timestamp

    /// The time at which the code was used; `nil` for an unused code.
    package var usedAt: Timestamp?

    /// Creates a code; the defaults are for a new code without an account.
    package init(
        address: ContactAddress,
        identityID: Identifier? = nil,
        sealed: [UInt8],
        attempts: Int = 0,
        expiresAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.address = address
        self.identityID = identityID
        self.sealed = sealed
        self.attempts = attempts
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }

    /// Returns the state of the code at a given time.
    ///
    /// `attemptLimit` is the number of guesses that a code accepts. A code that is both used and expired
    /// counts as used. A code that is both expired and exhausted counts as expired.
    package func state(at now: Timestamp, attemptLimit: Int) -> State {
        if usedAt != nil { return .used }
        if expiresAt <= now { return .expired }
        return attempts < attemptLimit ? .open : .exhausted
    }
}
