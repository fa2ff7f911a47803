package import LatchkeyModel
package import LatchkeyServerKit

/// The rate limits for password logins (NIST SP 800-63B, section 5.2.2).
///
/// For each account, every network has its own limit, and an additional limit applies to the total for all
/// unknown networks. Login attempts from other networks don't use up the limit for a known network, so an
/// attacker can't prevent the user from logging in from a known network.
///
/// To log a user in, call ``reserve(_:from:at:in:)`` and then verify the password. Unless the password is
/// wrong, call ``succeeded(_:at:in:)`` or ``giveBack(_:in:)`` afterwards.
package struct PasswordLimits: Sendable {
    /// How long an account with a failed login counts towards the limit of the client's network.
    private static let accountMemory: Duration = .seconds(3600)

    /// A login attempt that is counted as a failure before the password is verified.
    ///
    /// An attempt is returned by ``PasswordLimits/reserve(_:from:at:in:)`` and isn't stored.
    package struct Attempt: Sendable {
        fileprivate let account: LimitedAccount
        fileprivate let networks: [Network]
        fileprivate let reservation: LimitReservation

        /// Whether this attempt, if it fails, is the account's first failed login from this network within
        /// the last hour.
        package let isFirst: Bool
    }

    /// Whether a login attempt is allowed.
    package enum Verdict: Sendable {
        /// The password may be verified.
        ///
        /// The attempt counts as a failure until it is given back.
        case allowed(Attempt)

        /// The attempt is rejected.
        ///
        /// The associated value is the number of seconds to wait, which is at least 1.
        case refused(retryAfter: Int)
    }

    private let limiter: Limiter
    private let known: KnownNetworks

    /// Creates the limits from a limiter that counts failures and the store of known networks.
    package init(_ limiter: Limiter, known: KnownNetworks) {
        self.limiter = limiter
        self.known = known
    }

    /// Checks whether a login attempt is allowed and, if so, counts it as failed until it succeeds.
    ///
    /// On a known network, only the account's limits for this network can reject the attempt. On an unknown
    /// network, the attempt must also be allowed by the account's limit for all unknown networks and by the
    /// limits for the client's network.
    ///
    /// - Parameters:
    ///   - account: The account that has the identifier, or the identifier itself if no account has it.
    ///   - peer: The client's network address.
    ///   - now: The current time.
    ///   - transaction: The database transaction that the count is written in.
    /// - Returns: The attempt, or a refusal. Unless the login fails, pass the attempt to
    ///   ``succeeded(_:at:in:)`` or ``giveBack(_:in:)``.
    /// - Throws: ``DatabaseError``.
    package func reserve(
        _ account: LimitedAccount,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Verdict {
        let networks = Network.all(of: peer)
        let budget = LimitedEvent.failure(of: account, on: networks[0])
        let failures = networks.map { LimitedEvent.failureFromNetwork($0) }
        let end = LimitedEvent.waitsEnded(account)
        let times = try limiter.times(of: [budget, end], at: now, in: transaction)
        let earlier = (times[budget] ?? []).filter { now - $0 < Self.accountMemory }
        let starts = times[end]?.last.map { [budget: $0] } ?? [:]
        let verdict: LimitVerdict
        if try known.contains(peer, of: account, at: now, in: transaction) {
            verdict = try limiter.reserve(
                [budget, .failure(of: account, onKnown: networks[0])],
                counting: failures,
                since: starts,
                at: now,
                in: transaction
            )
        } else {
            let accounts = earlier.isEmpty ? networks.map { LimitedEvent.accountFailedFromNetwork($0) } : []
            verdict = try limiter.reserve(
                [budget, .failure(of: account)] + failures + accounts,
                since: starts,
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

    /// Stops counting an attempt whose password wasn't verified, or whose password was correct but whose
    /// login failed for another reason.
    ///
    /// - Parameters:
    ///   - attempt: The attempt. Don't pass an attempt more than once.
    ///   - transaction: The database transaction that the change is written in.
    /// - Throws: ``DatabaseError``.
    package func giveBack(_ attempt: Attempt, in transaction: borrowing Transaction) throws(DatabaseError) {
        try limiter.giveBack(attempt.reservation, in: transaction)
    }

    /// Stops counting a successful attempt, and resets the account's failure count on the client's network.
    ///
    /// The account also stops counting towards the network's limit on accounts with failed logins. The
    /// account's failure count for unknown networks isn't reset.
    ///
    /// - Parameters:
    ///   - attempt: The attempt. Don't pass an attempt more than once.
    ///   - now: The time of the login.
    ///   - transaction: The database transaction that creates the session.
    /// - Throws: ``DatabaseError``.
    package func succeeded(
        _ attempt: Attempt,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try limiter.giveBack(attempt.reservation, in: transaction)
        let budget = LimitedEvent.failure(of: attempt.account, on: attempt.networks[0])
        guard limiter.isRepeated(budget, in: attempt.reservation) else { return }
        try endWait(budget, on: attempt.networks, at: now, in: transaction)
    }

    /// Ends the wait that wrong passwords for an account have caused on the client's network, because the
    /// user has logged in with a code.
    ///
    /// The limits on wrong passwords per day stay.
    ///
    /// - Parameters:
    ///   - identity: The account's id.
    ///   - peer: The client's network address.
    ///   - now: The current time.
    ///   - transaction: The database transaction that creates the session.
    /// - Throws: ``DatabaseError``.
    package func endWait(
        of identity: Identifier,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let networks = Network.all(of: peer)
        let budget = LimitedEvent.failure(of: .identity(identity), on: networks[0])
        try endWait(budget, on: networks, at: now, in: transaction)
    }

    /// Ends the waits that wrong passwords for an account have caused on all networks, because the password
    /// was replaced or the account was recovered.
    ///
    /// The limits on wrong passwords per day stay.
    ///
    /// - Parameters:
    ///   - identity: The account's id.
    ///   - now: The time of the change.
    ///   - transaction: The database transaction that makes the change.
    /// - Throws: ``DatabaseError``.
    package func endWaits(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let end = LimitedEvent.waitsEnded(.identity(identity))
        try limiter.forget(end, in: transaction)
        try limiter.mark(end, at: now, in: transaction)
    }

    /// Resets the account's failure count on a network.
    private func endWait(
        _ budget: LimitedEvent,
        on networks: [Network],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        // If several logins failed within the hour, only the first one was counted for the network.
        let failures = try limiter.times(of: [budget], at: now, in: transaction)[budget] ?? []
        if let first = failures.first(where: { now - $0 < Self.accountMemory }) {
            for network in networks {
                try limiter.remove(.accountFailedFromNetwork(network), at: first, in: transaction)
            }
        }
        try limiter.forget(budget, in: transaction)
    }
}
