package import LatchkeyCrypto
package import LatchkeyModel

/// A repository for the key fingerprints of the nodes that share a database.
///
/// The register detects a node that was configured with different keys as soon as the node starts, before it
/// can write data that the other nodes can't read. A fingerprint doesn't reveal the key. Each node is
/// compared with the one that started most recently, so once a secret has been replaced on all nodes, a node
/// that only has the old secret is rejected.
package struct KeyRegister: Sendable {
    /// The kind of key.
    package enum Kind: String, Sendable {
        /// The server secrets. If a node has several secrets, at least one of them must already be
        /// registered.
        case secrets
        /// The certificate authority's public key.
        case authority
    }

    /// The error thrown when a node's secrets or certificate authority don't match those of the other nodes.
    package struct Stranger: Error, Sendable {
        /// The kind of key that didn't match.
        package let kind: Kind
    }

    private let database: any Database

    /// Creates a repository for the database that the nodes share.
    package init(_ database: any Database) {
        self.database = database
    }

    /// `true` if no node has ever registered its keys in this database.
    package var isEmpty: Bool {
        get async throws {
            try await database.rows("SELECT 1 FROM server_keys LIMIT 1").isEmpty
        }
    }

    /// Registers the keys of a node when it starts, in a single transaction.
    ///
    /// - Parameters:
    ///   - secrets: The node's secrets, which are stored only as fingerprints.
    ///   - authority: The node's certificate authority.
    ///   - now: The current time.
    /// - Throws: ``Stranger`` if the node's secrets or certificate authority don't match the registered keys,
    ///   or ``DatabaseError``.
    package func enter(
        _ secrets: ServerSecrets,
        authority: CertificateAuthority,
        at now: Timestamp
    ) async throws {
        let entries = Self.fingerprints(of: secrets, authority: authority)
        try await database.transaction { transaction in
            for (kind, fingerprints) in entries {
                try Self.enter(fingerprints, of: kind, at: now, in: transaction)
            }
        }
    }

    /// Compares the keys of a node with the registered keys, without registering them.
    ///
    /// - Parameters:
    ///   - secrets: The node's secrets.
    ///   - authority: The node's certificate authority.
    /// - Throws: ``Stranger`` if ``enter(_:authority:at:)`` would throw it, or ``DatabaseError``.
    package func check(_ secrets: ServerSecrets, authority: CertificateAuthority) async throws {
        for (kind, fingerprints) in Self.fingerprints(of: secrets, authority: authority) {
            let row = try await database.rows(Self.registered, .text(kind.rawValue)).first
            if let row { try Self.compare(fingerprints, of: kind, with: try row.blob(0)) }
        }
    }

    private static let registered: SQL = "SELECT fingerprints FROM server_keys WHERE kind = $1"

    private static func fingerprints(
        of secrets: ServerSecrets,
        authority: CertificateAuthority
    ) -> [(Kind, [[UInt8]])] {
        [
            (.secrets, secrets.allKeyBytes(for: .fingerprint)),
            (.authority, [authority.certificate.publicKey.thumbprint]),
        ]
    }

    /// Throws ``Stranger`` if none of the fingerprints is registered.
    private static func compare(
        _ fingerprints: [[UInt8]],
        of kind: Kind,
        with registered: [UInt8]
    ) throws(Stranger) {
        let known = stride(from: 0, to: registered.count, by: SHA256.byteCount).map {
            Array(registered[$0..<min($0 + SHA256.byteCount, registered.count)])
        }
        guard fingerprints.contains(where: known.contains) else { throw Stranger(kind: kind) }
    }

    private static func enter(
        _ fingerprints: [[UInt8]],
        of kind: Kind,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let new = fingerprints.flatMap { $0 }
        let inserted = try transaction.execute(
            """
            INSERT INTO server_keys (kind, fingerprints, updated_at) VALUES ($1, $2, $3) \
            ON CONFLICT (kind) DO NOTHING
            """,
            .text(kind.rawValue),
            .blob(new),
            .time(now)
        )
        if inserted == 1 { return }
        let old = try transaction.rows(registered, .text(kind.rawValue)).first?.blob(0) ?? []
        try compare(fingerprints, of: kind, with: old)
        guard new != old else { return }
        try transaction.execute(
            "UPDATE server_keys SET fingerprints = $1, updated_at = $2 WHERE kind = $3",
            .blob(new),
            .time(now),
            .text(kind.rawValue)
        )
    }
}
