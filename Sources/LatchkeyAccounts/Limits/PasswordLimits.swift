package import LatchkeyModel
package import LatchkeyServerKit

/// The rate limits of password logins (NIST SP 800-63B, 5.2.2).
///
/// Each network has its own limit for an account, and all networks together have another. A known network of
/// the account is exempt from the limits that other clients can use up, so that an attacker cannot lock the
/// user out there.
///
/// The order of a login is ``reserve(_:from:at:in:)``, the verification of the password, and then one of
/// ``succeeded(_:at:in:)`` and ``giveBack(_:in:)``, or neither if the password is wrong.
package struct PasswordLimits: Sendable {
    /// The time for which an account with a failed login counts against a network.
    private static let accountMemory: Duration = .seconds(3600)

    /// A login attempt that was counted as a failure before the password is verified.
    ///
    /// It belongs to one call of ``PasswordLimits/reserve(_:from:at:in:)`` and is not stored.
    package struct Attempt: Sendable {
        fileprivate let account: LimitedAccount
        fileprivate let networks: [Network]
        fileprivate let reservation: LimitReservation

        /// Whether no login to the account has failed on the network within the last hour.
        package let isFirst: Bool
    }

    /// The verdict on a login attempt.
    package enum Verdict: Sendable {
        /// The password may be verified; the attempt counts as a failure until it is given back.
        case allowed(Attempt)

        /// The attempt is refused; the wait is in whole seconds, at least 1.
        case refused(retryAfter: Int)
    }

    private let limiter: Limiter
    private let known: KnownNetworks

    /// Creates the limits.
    package init(_ limiter: Limiter, known: KnownNetworks) {
        self.limiter = limiter
        self.known = known
    }

    /// Counts a login attempt as a failure, if it is allowed.
    ///
    /// On a known network, only its own limits can refuse the attempt. Elsewhere, the limit of the account on
    /// all unknown networks and those of the client's network apply as well.
    ///
    /// - Parameters:
    ///   - account: The account of the identifier, or the identifier itself if it is unknown.
    ///   - peer: The client's address.
    ///   - now: The current time.
    ///   - transaction: The transaction to count in.
    /// - Returns: The attempt, to be passed to ``succeeded(_:at:in:)`` or ``giveBack(_:in:)`` unless it
    ///   fails; or a refusal.
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

    /// Gives back an attempt whose password was not verified, or was right without leading to a login.
    ///
    /// - Parameters:
    ///   - attempt: The attempt, which must not be used afterwards.
    ///   - transaction: The transaction to write in.
    /// - Throws: ``DatabaseError``.
    package func giveBack(_ attempt: Attempt, in transaction: borrowing Transaction) throws(DatabaseError) {
        try limiter.giveBack(attempt.reservation, in: transaction)
    }

    /// Gives back a successful attempt, and resets the failures of the account on the network.
    ///
    /// The failures counted for all networks together are not reset.
    ///
    /// The account no longer counts as a failed one of the network.
    ///
    /// - Parameters:
    ///   - attempt: The attempt, which must not be used afterwards.
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
        // The earliest failure within the hour is the one that counted against the network.
        let failures = try limiter.times(of: budget, within: Self.accountMemory, at: now, in: transaction)
        if let first = failures.first {
            for network in attempt.networks {
                try limiter.remove(.accountFailedFromNetwork(network), at: first, in: transaction)
            }
        }
        try limiter.forget(budget, in: transaction)
    }
}
