import LatchkeyCourier
package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Stores the networks from which users have recently logged in to their accounts.
///
/// Failed attempts from a known network are counted separately, so clients on other networks can't prevent
/// the user from logging in from a known network. When an account is deleted or changed by an operator, all
/// of its known networks are deleted. After a recovery, a takeover, or a change of identifiers or password,
/// only the user's current network stays known.
package struct KnownNetworks: Sendable {
    /// The maximum number of networks per account.
    ///
    /// When a login would exceed this number, the least recently used network is deleted.
    private static let most = 5

    /// How long a network stays known after a login.
    private static let memory: Duration = .seconds(90 * 86_400)

    /// The minimum time between updates of a stored network.
    private static let refresh: Duration = .seconds(86_400)

    private let key: HMACKey

    /// Creates a store.
    ///
    /// - Parameter key: The key for the network hashes that we store in the database. Networks that were
    ///   stored with another key aren't found.
    package init(key: HMACKey) {
        self.key = key
    }

    /// Returns whether an account's user has logged in from the client's network.
    ///
    /// If the account is unknown, the query looks up a random id instead, so the lookup always takes the same
    /// time.
    func contains(
        _ peer: PeerAddress,
        of account: LimitedAccount,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let identity =
            switch account {
            case .identity(let id): id
            case .unknown: Identifier()
            }
        return try contains(peer, of: identity, at: now, in: transaction)
    }

    /// Returns whether an account's user has logged in from the client's network within the last 90 days.
    ///
    /// - Parameters:
    ///   - peer: The client's network address. For IPv6, we compare the /64 prefix.
    ///   - identity: The account's id.
    ///   - now: The current time.
    ///   - transaction: The database transaction to read in.
    /// - Returns: Whether the network is known. Networks that were stored with another key aren't recognized.
    /// - Throws: ``DatabaseError``.
    package func contains(
        _ peer: PeerAddress,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            "SELECT 1 FROM known_networks WHERE identity_id = $1 AND network = $2 AND seen_at > $3",
            .identifier(identity),
            .blob(hash(peer)),
            .time(now - Self.memory)
        ).isEmpty
    }

    /// Returns whether the client's network is known for the account that has proven an address.
    ///
    /// The result is `false` if no account has proven the address.
    func contains(
        _ peer: PeerAddress,
        ofOwnerOf address: ContactAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            """
            SELECT 1 FROM known_networks JOIN address_states USING (identity_id) \
            WHERE via = $1 AND value = $2 AND state = 'proven' AND network = $3 AND seen_at > $4
            """,
            .text(address.via.rawValue),
            .text(address.value),
            .blob(hash(peer)),
            .time(now - Self.memory)
        ).isEmpty
    }

    /// Records that an account's user has logged in from a network.
    ///
    /// Only the five most recently used networks are kept. To save writes, the time stored for a known
    /// network is updated at most once a day.
    ///
    /// - Parameters:
    ///   - peer: The client's network address. The network (the /64 prefix for IPv6) is stored as a keyed
    ///     hash.
    ///   - identity: The account's id.
    ///   - now: The time of the login.
    ///   - transaction: The database transaction that creates the session.
    /// - Throws: ``DatabaseError``.
    package func remember(
        _ peer: PeerAddress,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let network = hash(peer)
        let known = try transaction.rows(
            "SELECT network, seen_at FROM known_networks WHERE identity_id = $1 ORDER BY seen_at DESC",
            .identifier(identity)
        ).map { row throws(DatabaseError) in (network: try row.blob(0), seenAt: try row.time(1)) }
        // A time later than now was stored before the clock was set back, so it is replaced.
        if let last = known.first(where: { $0.network == network })?.seenAt, last <= now,
            now - last < Self.refresh
        {
            return
        }
        try transaction.execute(
            """
            INSERT INTO known_networks (identity_id, network, seen_at) VALUES ($1, $2, $3) \
            ON CONFLICT (identity_id, network) DO UPDATE SET seen_at = excluded.seen_at
            """,
            .identifier(identity),
            .blob(network),
            .time(now)
        )
        for old in known.filter({ $0.network != network }).dropFirst(Self.most - 1) {
            try transaction.execute(
                "DELETE FROM known_networks WHERE identity_id = $1 AND network = $2",
                .identifier(identity),
                .blob(old.network)
            )
        }
    }

    /// Deletes an account's known networks, except for the one from which the user has just changed or
    /// recovered the account.
    ///
    /// If the client's network isn't a known network yet, it is added.
    ///
    /// - Parameters:
    ///   - peer: The network address of the client that made the change.
    ///   - identity: The account's id.
    ///   - now: The time of the change.
    ///   - transaction: The database transaction that changes the account.
    /// - Throws: ``DatabaseError``.
    package func forgetOthers(
        than peer: PeerAddress,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try Self.forget(identity, in: transaction)
        try remember(peer, of: identity, at: now, in: transaction)
    }

    /// Returns when the user was last seen on each of the account's known networks, most recent first.
    ///
    /// - Throws: ``DatabaseError``.
    static func times(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Timestamp] {
        try transaction.rows(
            "SELECT seen_at FROM known_networks WHERE identity_id = $1 ORDER BY seen_at DESC",
            .identifier(identity)
        ).map { row throws(DatabaseError) in try row.time(0) }
    }

    /// Deletes all known networks of an account.
    ///
    /// Until the user logs in again, every network counts as unknown.
    ///
    /// - Throws: ``DatabaseError``.
    package static func forget(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM known_networks WHERE identity_id = $1", .identifier(identity))
    }

    /// Returns a keyed hash of the client's network.
    ///
    /// The hashed data starts with a prefix, so that the key can also be used for other purposes.
    private func hash(_ peer: PeerAddress) -> [UInt8] {
        key.authenticate(Array("known network".utf8) + [0] + peer.address.network)
    }
}
