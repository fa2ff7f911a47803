import LatchkeyCrypto
import LatchkeyModel

/// The networks from which the owners of accounts have logged in lately.
///
/// Failures from a known network are counted apart, so that others cannot lock the owner out. Known networks belong to
/// the account: they are forgotten at a change of its identifiers or password, a recovery, a reclaim and its deletion.
struct KnownNetworks: Sendable {
    /// The most networks of one account; the one that was seen longest ago goes first.
    private static let most = 5

    /// How long a network is remembered after a login.
    private static let memory: Duration = .seconds(90 * 86_400)

    /// A network is written again when it was seen longer ago than this.
    private static let refresh: Duration = .seconds(86_400)

    private let key: HMACKey

    init(_ context: ServerContext) {
        key = context.secrets.key(for: .limits)
    }

    /// Returns whether the owner of an account has logged in from a network.
    ///
    /// Without an account, a random id is looked up instead, which takes as long.
    func contains(
        _ peer: PeerAddress,
        of identifier: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            """
            SELECT 1 FROM (SELECT COALESCE((SELECT identity_id FROM identifiers WHERE identifier = $1), $2) AS id) n \
            JOIN known_networks k ON k.identity_id = n.id WHERE k.network = $3 AND k.seen_at > $4
            """,
            .text(identifier),
            .identifier(Identifier()),
            .blob(hash(peer)),
            .time(now - Self.memory)
        ).isEmpty
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
