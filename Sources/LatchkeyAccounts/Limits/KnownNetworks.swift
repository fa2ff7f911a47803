package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// A store of the networks from which users have recently logged in to their accounts.
///
/// Failed attempts from a known network are counted separately, so other clients cannot lock the user out. If
/// the account is deleted, or changed by the operator, all of its known networks are deleted. After a
/// recovery, a takeover, or a change of identifiers or password, only the user's current network remains
/// known.
package struct KnownNetworks: Sendable {
    /// The maximum number of networks for each account; the network that was seen least recently is deleted
    /// first.
    private static let most = 5

    /// How long a network remains known after a login.
    private static let memory: Duration = .seconds(90 * 86_400)

    /// The minimum time between updates of a stored network.
    private static let refresh: Duration = .seconds(86_400)

    private let key: HMACKey

    /// Creates the store.
    ///
    /// - Parameter key: The key for the hashes of networks in the database; with another key, stored networks
    ///   are not found.
    package init(key: HMACKey) {
        self.key = key
    }

    /// Returns whether the user of an account has logged in from a client's network.
    ///
    /// For an unknown account, the query uses a random id, so that it takes the same time.
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

    /// Returns whether the user of an account has logged in from a client's network within the last 90 days.
    ///
    /// - Parameters:
    ///   - peer: The client's address; for IPv6, its /64 prefix is compared.
    ///   - identity: The id of the account.
    ///   - now: The current time.
    ///   - transaction: The transaction to read in.
    /// - Returns: Whether the network is known; `false` if it was stored with another key.
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

    /// Records that the user of an account has logged in from a network.
    ///
    /// If more than five networks are stored, those that were seen least recently are deleted.
    ///
    /// To save writes, the last-seen time of a known network is updated at most once a day.
    ///
    /// - Parameters:
    ///   - peer: The client's address, whose network (a /64 prefix for IPv6) is stored as a keyed hash.
    ///   - identity: The id of the account.
    ///   - now: The time of the login.
    ///   - transaction: The transaction that opens the session.
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
        if let last = known.first(where: { $0.network == network })?.seenAt, now - last < Self.refresh {
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

    /// Deletes all networks of an account except the one from which the user has just changed or recovered
    /// the account.
    ///
    /// That network is stored even if it was not known before.
    ///
    /// - Parameters:
    ///   - peer: The address of the client that made the change, whose network becomes known.
    ///   - identity: The id of the account.
    ///   - now: The time of the change.
    ///   - transaction: The transaction of the change.
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

    /// Returns the times at which the user of an account was last seen on each of its networks, latest first.
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

    /// Deletes all networks of an account.
    ///
    /// Until they log in, all clients are then treated as unknown to the account.
    ///
    /// - Throws: ``DatabaseError``.
    package static func forget(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM known_networks WHERE identity_id = $1", .identifier(identity))
    }

    /// Returns the keyed hash of the network that a client belongs to, domain-separated from other uses of
    /// the key.
    private func hash(_ peer: PeerAddress) -> [UInt8] {
        key.authenticate(Array("known network".utf8) + [0] + peer.network)
    }
}
