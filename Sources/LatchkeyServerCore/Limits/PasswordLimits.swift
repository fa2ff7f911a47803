package import LatchkeyModel

/// The limits of logins with a password (NIST SP 800-63B, 5.2.2).
///
/// Each network has a budget of its own for an account, and all networks together have another. A known network of the
/// account is exempt from the limits that other clients can use up, so that an attacker does not lock the owner out
/// there.
package struct PasswordLimits: Sendable {
    /// How long a failed account counts against its network.
    private static let accountMemory: Duration = .seconds(3600)

    /// A login that was counted as a failure before the password was checked.
    package struct Attempt: Sendable {
        fileprivate let account: LimitedAccount
        fileprivate let networks: [Network]
        fileprivate let reservation: LimitReservation

        /// Whether no password of the account has failed on the network within the last hour.
        package let isFirst: Bool
    }

    /// The verdict on a login.
    package enum Verdict: Sendable {
        case allowed(Attempt)

        /// The wait is in whole seconds, at least 1.
        case refused(retryAfter: Int)
    }

    private let limiter: Limiter
    private let known: KnownNetworks

    /// Creates the limits of logins.
    package init(_ limiter: Limiter, known: KnownNetworks) {
        self.limiter = limiter
        self.known = known
    }

    /// Counts a login as a failure, if it is allowed.
    ///
    /// - Parameters:
    ///   - account: The account that the identifier belongs to.
    ///   - peer: The client's address.
    ///   - now: The time.
    ///   - transaction: The transaction.
    /// - Returns: The attempt, to be passed to ``succeeded(_:at:in:)`` or ``giveBack(_:in:)``, or a refusal.
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

    /// Takes an attempt back that was not judged, or whose password was right without a login.
    package func giveBack(_ attempt: Attempt, in transaction: borrowing Transaction) throws(DatabaseError) {
        try limiter.giveBack(attempt.reservation, in: transaction)
    }

    /// Takes an attempt back that succeeded, and forgets the account's earlier failures on the network.
    ///
    /// Its failures on all networks together still count.
    package func succeeded(
        _ attempt: Attempt,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try limiter.giveBack(attempt.reservation, in: transaction)
        let budget = LimitedEvent.failureOnNetwork(attempt.account, attempt.networks[0])
        guard limiter.isRepeated(budget, in: attempt.reservation) else { return }
        // The earliest failure of the hour is the one that counted against the network.
        let failures = try limiter.times(of: budget, within: Self.accountMemory, at: now, in: transaction)
        if let first = failures.first {
            for network in attempt.networks {
                try limiter.remove(.accountFailedFromNetwork(network), at: first, in: transaction)
            }
        }
        try limiter.forget(budget, in: transaction)
    }
}
