import LatchkeyAccounts
package import LatchkeyModel

/// A one-time code as stored in the database, with its address, expiry and number of guesses.
///
/// The digits aren't stored, only their MAC.
package struct IssuedCode: Hashable, Sendable {
    /// The state of a code.
    package enum State: Sendable {
        /// The code can still be used.
        case open
        /// The code has been used. This state is final.
        case used
        /// The code has expired. This state is final.
        case expired
        /// The code has no guesses left. This state can only change to `expired`.
        case exhausted
    }

    /// The address that the code was sent to.
    package var address: ContactAddress

    /// The account that the user is logging in to, or whose address is being verified, or `nil` if there is
    /// no account yet.
    ///
    /// For a decoy, this is a random id.
    package var identityID: Identifier?

    /// The MAC that is stored instead of the code; see ``CodeKeys``.
    package var sealed: [UInt8]

    /// The part of the internet that the code was asked for from, or `nil` if an operator has created it.
    package var askedFrom: String?

    /// The number of guesses that count toward the limit.
    package var attempts: Int

    /// When the code expires.
    ///
    /// The code is rejected from this time on.
    package var expiresAt: Timestamp

    /// When the code was used, or `nil` if it hasn't been used.
    package var usedAt: Timestamp?

    /// Creates a code.
    ///
    /// By default, the code is unused and isn't for an existing account.
    package init(
        address: ContactAddress,
        identityID: Identifier? = nil,
        sealed: [UInt8],
        askedFrom: String? = nil,
        attempts: Int = 0,
        expiresAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.address = address
        self.identityID = identityID
        self.sealed = sealed
        self.askedFrom = askedFrom
        self.attempts = attempts
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }

    /// Returns the state of the code at a given time.
    ///
    /// `attemptLimit` is the maximum number of guesses per code. If a code has been used, its state is
    /// `used`, even if it has also expired. If an unused code has expired, its state is `expired`, even if it
    /// has no guesses left.
    package func state(at now: Timestamp, attemptLimit: Int) -> State {
        if usedAt != nil { return .used }
        if expiresAt <= now { return .expired }
        return attempts < attemptLimit ? .open : .exhausted
    }
}
