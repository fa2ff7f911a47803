package import LatchkeyCrypto
import LatchkeyModel

/// The networks from which the owners of accounts have logged in lately.
///
/// Failures from a known network are counted apart, so that others cannot lock the owner out. Known networks belong to
/// the account: all are forgotten at its deletion and at a change by the operator, and all but the owner's present one at a
/// change of its identifiers or password, a recovery and a reclaim.
package struct KnownNetworks: Sendable {
    /// The most networks of one account; the one that was seen longest ago goes first.
    private static let most = 5

    /// How long a network is remembered after a login.
    private static let memory: Duration = .seconds(90 * 86_400)

    /// A network is written again when it was seen longer ago than this.
    private static let refresh: Duration = .seconds(86_400)

    private let key: HMACKey

    /// Creates a store of known networks.
    ///
    /// - Parameter key: Hides networks in the database; another key forgets them.
    package init(key: HMACKey) {
        self.key = key
    }

    init(_ context: ServerContext) {
        self.init(key: context.secrets.key(for: .limits))
    }

    /// Returns whether the owner of an account has logged in from a network; where there is no account, a random one is
    /// looked up, which takes as long.
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

    /// Returns whether the owner of an account has logged in from a network.
    func contains(
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

    /// Stores that the owner of an account has logged in from a network.
    func remember(
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

    /// Forgets all networks of an account but the one from which the owner has just changed or recovered it.
    func forgetOthers(
        than peer: PeerAddress,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try Self.forget(identity, in: transaction)
        try remember(peer, of: identity, at: now, in: transaction)
    }

    /// Forgets all networks of an account.
    static func forget(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM known_networks WHERE identity_id = $1", .identifier(identity))
    }

    private func hash(_ peer: PeerAddress) -> [UInt8] {
        key.authenticate(Array("known network".utf8) + [0] + peer.network)
    }
}
