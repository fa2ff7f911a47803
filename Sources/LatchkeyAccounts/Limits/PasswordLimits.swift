package import LatchkeyModel
package import LatchkeyServerKit

/// The rate limits for password logins (NIST SP 800-63B, section 5.2.2).
///
/// Each network has its own limit for an account, and all unknown networks share another limit. A known
/// network is exempt from the limits that other clients can use up, so an attacker cannot lock the user out
/// on such a network.
///
/// A login calls ``reserve(_:from:at:in:)``, verifies the password, and, unless the password is wrong, calls
/// ``succeeded(_:at:in:)`` or ``giveBack(_:in:)``.
package struct PasswordLimits: Sendable {
    /// How long an account with a failed login counts against the limit of the client's network.
    private static let accountMemory: Duration = .seconds(3600)

    /// A login attempt that is counted as a failure before the password is verified.
    ///
    /// An attempt is the result of one call of ``PasswordLimits/reserve(_:from:at:in:)`` and is not stored.
    package struct Attempt: Sendable {
        fileprivate let account: LimitedAccount
        fileprivate let networks: [Network]
        fileprivate let reservation: LimitReservation

        /// Whether no earlier login to the account from this network failed within the last hour.
        package let isFirst: Bool
    }

    /// The verdict on a login attempt.
    package enum Verdict: Sendable {
        /// The password may be verified; the attempt counts as a failure until it is given back.
        case allowed(Attempt)

        /// The attempt is rejected; the wait is at least 1, in whole seconds.
        case refused(retryAfter: Int)
    }

    private let limiter: Limiter
    private let known: KnownNetworks

    /// Creates the limits, with the limiter that counts failures and the networks that are known for each
    /// account.
    package init(_ limiter: Limiter, known: KnownNetworks) {
        self.limiter = limiter
        self.known = known
    }

    /// Counts a login attempt as a failure, if it is allowed.
    ///
    /// On a known network, only the limits for the account on this network can reject the attempt. On an
    /// unknown network, the limit for the account on all unknown networks and the limits for the client's
    /// network apply as well.
    ///
    /// - Parameters:
    ///   - account: The account that the identifier belongs to, or the identifier itself if it is unknown.
    ///   - peer: The client's address.
    ///   - now: The current time.
    ///   - transaction: The transaction that counts the attempt.
    /// - Returns: The attempt, which is passed to ``succeeded(_:at:in:)`` or ``giveBack(_:in:)`` unless the
    ///   login fails, or a refusal.
    /// - Throws: ``DatabaseError``.
    package func reserve(
        _ account: LimitedAccount,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Verdict {
        let networks = Network.all(of: peer)
        let budget = LimitedEvent.failureOnNetwork(account, networks[0])
        let failures = networks.map { LimitedEvent.failureFromNetwork($0) }
        let earlier = try limiter.times(of: budget, within: Self.accountMemory, at: now, in: transaction)
        let verdict: LimitVerdict
        if try known.contains(peer, of: account, at: now, in: transaction) {
            verdict = try limiter.reserve(
                [budget, .failureOnKnownNetwork(account, networks[0])],
                counting: failures,
                at: now,
                in: transaction
            )
        } else {
            let accounts = earlier.isEmpty ? networks.map { LimitedEvent.accountFailedFromNetwork($0) } : []
            verdict = try limiter.reserve(
                [budget, .failure(of: account)] + failures + accounts,
                at: now,
                in: transaction
            )
        }
        switch verdict {
        case .reserved(let reservation):
            return .allowed(
                Attempt(
                    account: account,
                    networks: networks,
                    reservation: reservation,
                    isFirst: earlier.isEmpty
                )
            )
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        }
    }

    /// Gives back an attempt whose password was not verified, or was correct but did not lead to a login.
    ///
    /// - Parameters:
    ///   - attempt: The attempt, which must not be used again.
    ///   - transaction: The transaction to write in.
    /// - Throws: ``DatabaseError``.
    package func giveBack(_ attempt: Attempt, in transaction: borrowing Transaction) throws(DatabaseError) {
        try limiter.giveBack(attempt.reservation, in: transaction)
    }

    /// Gives back a successful attempt, and resets the count of failures for the account on the network.
    ///
    /// The count of failures on all unknown networks together is not reset.
    ///
    /// The account no longer counts against the network's limit on accounts with failed logins.
    ///
    /// - Parameters:
    ///   - attempt: The attempt, which must not be used again.
    ///   - now: The time of the login.
    ///   - transaction: The transaction that opens the session.
    /// - Throws: ``DatabaseError``.
    package func succeeded(
        _ attempt: Attempt,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try limiter.giveBack(attempt.reservation, in: transaction)
        let budget = LimitedEvent.failureOnNetwork(attempt.account, attempt.networks[0])
        guard limiter.isRepeated(budget, in: attempt.reservation) else { return }
        // Of the failures within the hour, only the earliest was counted against the network.
        let failures = try limiter.times(of: budget, within: Self.accountMemory, at: now, in: transaction)
        if let first = failures.first {
            for network in attempt.networks {
                try limiter.remove(.accountFailedFromNetwork(network), at: first, in: transaction)
            }
        }
        try limiter.forget(budget, in: transaction)
    }
}
