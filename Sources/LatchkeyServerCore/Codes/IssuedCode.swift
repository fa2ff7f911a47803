package import LatchkeyModel

/// A code as it is remembered: for which address, until when, and how often it was guessed at.
package struct IssuedCode: Hashable, Sendable {
    /// What can still be done with a code.
    package enum State: Sendable {
        /// It takes a guess. Becomes any of the others.
        case open
        /// It was right once; final.
        case used
        /// Its time is over; final.
        case expired
        /// It was guessed at too often; final.
        case exhausted
    }

    /// Where it was sent.
    package var address: Traits.Address

    /// Whose account it opens or whose address it verifies; nothing where there is no account, or not yet.
    package var identityID: Identifier?

    package var sealed: [UInt8]
    package var attempts: Int
    package var expiresAt: Timestamp
    package var usedAt: Timestamp?

    package init(
        address: Traits.Address,
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

    /// What can be done with the code at a time, given how many guesses it takes.
    package func state(at now: Timestamp, attemptLimit: Int) -> State {
        if usedAt != nil { return .used }
        if expiresAt <= now { return .expired }
        return attempts < attemptLimit ? .open : .exhausted
    }
}
