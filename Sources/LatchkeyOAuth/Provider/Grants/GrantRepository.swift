import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit

/// Stores grants.
///
/// Every decision that can be made only once is one conditional statement.
package struct GrantRepository: Sendable {
    /// The maximum number of grants per account and client.
    static let mostPerClient: Int64 = 50
    /// How long a grant that has expired is kept, so that a code or token of it is still recognized.
    static let retention = Duration.seconds(86_400)

    /// The columns that ``Grant/init(row:)`` reads.
    static let columns: SQL = """
        id, identity_id, client_id, session_id, authentications, authenticated_at, scopes, nonce, key_thumbprint
        """

    /// The condition that a grant can be used at the time `$1`: it hasn't ended, its account is active, and
    /// its session is alive unless the grant outlives it or has none.
    static let isAlive: SQL = """
        grants.ended_at IS NULL AND EXISTS (SELECT 1 FROM identities o WHERE o.id = grants.identity_id \
        AND o.state = 'active') AND (grants.is_offline = 1 OR grants.proven_address IS NOT NULL \
        OR EXISTS (SELECT 1 FROM sessions s WHERE s.id = grants.session_id AND s.revoked_at IS NULL \
        AND s.expires_at > $1))
        """

    /// The condition that a code can be redeemed at the time `$1`, whose values are `$2` to `$6`.
    private static let isRedeemable: SQL = """
        code_hash = $2 AND client_id = $3 AND redirect_uri = $4 AND code_challenge = $5 \
        AND (key_thumbprint IS NULL OR key_thumbprint = $6) \
        AND redeemed_at IS NULL AND code_expires_at > $1 AND \(isAlive)
        """

    let database: any Database

    package init(database: any Database) {
        self.database = database
    }

    // MARK: Codes

    /// Stores a new grant.
    ///
    /// If the account now has too many grants for the client, those that haven't been used for the longest
    /// time end. The caller must hold the session's row.
    static func insert(
        _ grant: NewGrant,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO grants (id, identity_id, client_id, session_id, is_offline, scopes, authentications, \
            authenticated_at, redirect_uri, nonce, code_hash, code_challenge, code_expires_at, key_thumbprint, \
            used, used_at, created_at, expires_at, proven_address) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, $15, $15, $13, $16)
            """,
            .identifier(grant.id),
            .identifier(grant.identity),
            .text(grant.client),
            .identifier(grant.login.session),
            .bool(grant.isOffline),
            .text(grant.scopes.scopeText),
            .text(grant.login.authentications.text),
            .time(grant.login.authenticatedAt),
            .text(grant.redirectURI),
            .optional(grant.nonce),
            .blob(grant.code.hash),
            .text(grant.challenge?.text ?? ""),
            .time(grant.codeExpiresAt),
            .optional(grant.keyThumbprint),
            .time(now),
            .optional(grant.provenAddress?.value)
        )
        try transaction.execute(
            """
            UPDATE grants SET ended_at = $1 WHERE id IN (SELECT id FROM grants WHERE identity_id = $2 \
            AND client_id = $3 AND ended_at IS NULL AND expires_at > $1 \
            ORDER BY used_at DESC, created_at DESC, id LIMIT 1000000 OFFSET $4)
            """,
            .time(now),
            .identifier(grant.identity),
            .text(grant.client),
            .integer(mostPerClient)
        )
    }

    /// Replaces the code of a grant that hasn't been redeemed, without making it last longer.
    ///
    /// - Returns: Whether the grant belongs to the identity and its code could still be redeemed.
    static func replaceCode(
        of grant: Identifier,
        with code: AuthorizationCode,
        for identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE grants SET code_hash = $2 WHERE id = $3 AND identity_id = $4 AND redeemed_at IS NULL \
            AND code_expires_at > $1 AND \(isAlive)
            """,
            .time(now),
            .blob(code.hash),
            .identifier(grant),
            .identifier(identity)
        ) == 1
    }

    /// Redeems a code, if all values of the client's request are those of the authorization request.
    ///
    /// - Returns: The grant, or `nil` if the code can't be redeemed in this way. A failure changes no row.
    static func redeem(
        _ redemption: Redemption,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Grant? {
        try transaction.rows(
            """
            UPDATE grants SET redeemed_at = $1, used_at = $1, key_thumbprint = $6, \
            expires_at = CASE WHEN is_offline = 1 THEN CAST($7 AS BIGINT) ELSE CAST($8 AS BIGINT) END \
            WHERE \(isRedeemable) RETURNING \(columns)
            """,
            .time(now),
            .blob(redemption.code.hash),
            .text(redemption.client),
            .text(redemption.redirectURI),
            .text(redemption.challenge?.text ?? ""),
            .optional(redemption.keyThumbprint),
            .time(now + redemption.offlineLifespan),
            .time(now + redemption.accessLifespan)
        ).first.map { row throws(DatabaseError) in try Grant(row: row) }
    }

    /// The account whose code can be redeemed.
    struct Redeemable: Sendable {
        let account: Identifier
        /// The address that the redemption proves from inside the account, or `nil` if it proves none.
        let address: ContactAddress?
    }

    /// Returns the account whose code could be redeemed now, or `nil` if ``redeem(_:at:in:)`` would fail.
    func redeemable(
        _ redemption: Redemption,
        at now: Timestamp
    ) async throws(DatabaseError) -> Redeemable? {
        try await database.rows(
            "SELECT identity_id, proven_address FROM grants WHERE \(Self.isRedeemable)",
            .time(now),
            .blob(redemption.code.hash),
            .text(redemption.client),
            .text(redemption.redirectURI),
            .text(redemption.challenge?.text ?? ""),
            .optional(redemption.keyThumbprint)
        ).first.map { row throws(DatabaseError) in
            Redeemable(
                account: try row.identifier(0),
                address: try row.optional(1, as: Row.text).flatMap { ContactAddress($0) }
            )
        }
    }

    /// Ends the grant whose code was redeemed earlier, and is presented again by the client that has all the
    /// values of the authorization request.
    ///
    /// A copied code alone can't end the login of another user.
    ///
    /// - Returns: The grant that has ended, or `nil` if there is none.
    static func endReused(
        _ redemption: Redemption,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Grant? {
        try transaction.rows(
            """
            UPDATE grants SET ended_at = $1 \
            WHERE code_hash = $2 AND client_id = $3 AND redirect_uri = $4 AND code_challenge = $5 \
            AND redeemed_at IS NOT NULL AND ended_at IS NULL RETURNING \(columns)
            """,
            .time(now),
            .blob(redemption.code.hash),
            .text(redemption.client),
            .text(redemption.redirectURI),
            .text(redemption.challenge?.text ?? "")
        ).first.map { row throws(DatabaseError) in try Grant(row: row) }
    }

    /// Returns the account whose code was presented, or `nil` if there is no such code.
    static func account(
        ofCode code: AuthorizationCode,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        try transaction.rows(
            "SELECT identity_id FROM grants WHERE code_hash = $1",
            .blob(code.hash)
        ).first?.identifier(0)
    }

    // MARK: Refresh tokens

    /// The state of a grant's refresh tokens.
    struct Refreshing: Sendable {
        let grant: Grant
        /// The highest number that has been used, or 0.
        let used: Int64
        /// When the token with this number was first used.
        let usedAt: Timestamp
        let isAlive: Bool
    }

    /// Marks the newest refresh token of a grant as used.
    ///
    /// - Returns: The grant, or `nil` if the token isn't the newest one, if it belongs to another client or
    ///   key, or if the grant has ended.
    static func use(
        _ token: RefreshToken,
        by client: String,
        key: String?,
        until expiresAt: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Grant? {
        try transaction.rows(
            """
            UPDATE grants SET used = $2, used_at = $1, expires_at = $3 \
            WHERE id = $4 AND client_id = $5 AND used = $6 AND expires_at > $1 AND redeemed_at IS NOT NULL \
            AND is_offline = 1 AND (key_thumbprint IS NULL OR key_thumbprint = $7) AND \(isAlive) \
            RETURNING \(columns)
            """,
            .time(now),
            .integer(token.number),
            .time(expiresAt),
            .identifier(token.session),
            .text(client),
            .integer(token.number - 1),
            .optional(key)
        ).first.map { row throws(DatabaseError) in try Grant(row: row) }
    }

    /// Returns a grant of a client with the state of its refresh tokens, or `nil` if there is none.
    func find(
        _ id: Identifier,
        of client: String,
        at now: Timestamp
    ) async throws(DatabaseError) -> Refreshing? {
        try await database.rows(
            """
            SELECT \(Self.columns), used, used_at, \
            CASE WHEN expires_at > $1 AND \(Self.isAlive) THEN 1 ELSE 0 END \
            FROM grants WHERE id = $2 AND client_id = $3
            """,
            .time(now),
            .identifier(id),
            .text(client)
        ).first.map { row throws(DatabaseError) in
            Refreshing(
                grant: try Grant(row: row),
                used: try row.integer(9),
                usedAt: try row.time(10),
                isAlive: try row.bool(11)
            )
        }
    }

    // MARK: Exchange

    /// Ends a grant whose access token is exchanged for a session.
    ///
    /// The session that has authorized the grant must be alive, even if the grant outlives it. Otherwise, a user who
    /// logs out everywhere would be logged in again. The grant of a mailed link has no session, so it can only be
    /// exchanged before its first refresh.
    ///
    /// - Returns: The grant, or `nil` if it or its session has ended, or if it was exchanged before, was refreshed
    ///   without a session, or belongs to another client or key.
    static func exchange(
        _ token: GrantClaims,
        for session: Identifier,
        provenBy keyThumbprint: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Grant? {
        try transaction.rows(
            """
            UPDATE grants SET ended_at = $1, exchanged_session_id = $2 \
            WHERE id = $3 AND client_id = $4 AND key_thumbprint = $5 AND exchanged_session_id IS NULL \
            AND NOT EXISTS (SELECT 1 FROM revoked_access_tokens r WHERE r.id = $6) AND \(isAlive) \
            AND ((grants.proven_address IS NOT NULL AND grants.used = 0) OR EXISTS (SELECT 1 FROM sessions a \
            WHERE a.id = grants.session_id AND a.revoked_at IS NULL AND a.expires_at > $1)) RETURNING \(columns)
            """,
            .time(now),
            .identifier(session),
            .identifier(token.grant),
            .text(token.client),
            .text(keyThumbprint),
            .text(token.id)
        ).first.map { row throws(DatabaseError) in try Grant(row: row) }
    }

    /// Returns the account of a grant of the token's client and key, or `nil` if there is none.
    func account(
        of token: GrantClaims,
        provenBy keyThumbprint: String
    ) async throws(DatabaseError) -> Identifier? {
        try await database.rows(
            "SELECT identity_id FROM grants WHERE id = $1 AND client_id = $2 AND key_thumbprint = $3",
            .identifier(token.grant),
            .text(token.client),
            .text(keyThumbprint)
        ).first?.identifier(0)
    }

    /// Returns the session that a grant was exchanged for by the same client and key, if it was.
    static func exchanged(
        _ token: GrantClaims,
        provenBy keyThumbprint: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        try transaction.rows(
            """
            SELECT exchanged_session_id FROM grants WHERE id = $1 AND client_id = $2 AND key_thumbprint = $3 \
            AND exchanged_session_id IS NOT NULL
            """,
            .identifier(token.grant),
            .text(token.client),
            .text(keyThumbprint)
        ).first?.identifier(0)
    }

    // MARK: Ends

    /// Ends a grant, and returns whether it hadn't ended yet.
    static func end(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "UPDATE grants SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL",
            .time(now),
            .identifier(id)
        ) == 1
    }

    /// Ends all grants of an account, or those for one client, and returns their number.
    @discardableResult
    static func endAll(
        of identity: Identifier,
        for client: String? = nil,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            UPDATE grants SET ended_at = $1 WHERE identity_id = $2 AND (client_id = $3 OR $3 IS NULL) \
            AND ended_at IS NULL
            """,
            .time(now),
            .identifier(identity),
            .optional(client)
        )
    }

    /// Deletes grants that expired before a time.
    static func deleteExpired(
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            .time(time),
            .integer(Int64(limit))
        )
    }
}

extension Grant {
    /// Reads a grant from the first columns of a row.
    init(row: Row) throws(DatabaseError) {
        id = try row.identifier(0)
        identity = try row.identifier(1)
        client = try row.text(2)
        login = Login(
            session: try row.identifier(3),
            authentications: try [Authentication](text: row.text(4)),
            authenticatedAt: try row.time(5)
        )
        scopes = [String](scopes: try row.text(6))
        nonce = try row.optional(7, as: Row.text)
        keyThumbprint = try row.optional(8, as: Row.text)
    }
}
