import LatchkeyModel
import LatchkeyServerKit

/// Stores authorization requests that clients push, until a browser or another app opens them.
///
/// The rows are those of ``AuthorizationRequestRepository``.
enum PushedRequestRepository {
    /// How long a pushed request waits to be opened.
    static let lifespan = Duration.seconds(60)
    /// How long a request waits that another app can approve.
    static let appLifespan = Duration.seconds(600)
    /// How long other apps can take to approve a request, from the time when the first of them has opened it.
    static let approvalLifespan = Duration.seconds(300)

    /// Stores a request.
    static func insert(
        _ request: AuthorizationRequest,
        uri: RequestURI,
        until expiresAt: Timestamp,
        at now: Timestamp,
        random: any RandomSource,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO authorization_requests (id, client_id, request, uri_hash, requested_at, expires_at, \
            is_extended) VALUES ($1, $2, $3, $4, $5, $6, 0)
            """,
            .identifier(Identifier(random: random)),
            .text(request.clientID),
            .blob(request.json),
            .blob(uri.hash),
            .time(now),
            .time(expiresAt)
        )
    }

    /// Opens a request in a browser, which can be done once.
    ///
    /// - Returns: The id of the request, or `nil` if the URI is unknown, used or expired, or belongs to another
    ///   client.
    static func open(
        _ uri: RequestURI,
        of client: String,
        boundTo secret: CSRFSecret,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        let rows = try transaction.rows(
            """
            UPDATE authorization_requests SET binding = $5, requested_at = $1, expires_at = $2, is_extended = 0 \
            WHERE uri_hash = $3 AND client_id = $4 AND binding IS NULL AND session_id IS NULL \
            AND answered_at IS NULL AND expires_at > $1 RETURNING id
            """,
            .time(now),
            .time(now + AuthorizationRequestRepository.lifespan),
            .blob(uri.hash),
            .text(client),
            // Replaced below, because the binding depends on the id.
            .blob([])
        )
        guard let id = try rows.first?.identifier(0) else { return nil }
        try transaction.execute(
            "UPDATE authorization_requests SET binding = $1 WHERE id = $2",
            .blob(StoredAuthorization.binding(of: id, to: secret)),
            .identifier(id)
        )
        return id
    }

    /// Returns a request that wasn't opened yet, or `nil` if the URI is unknown, used or expired, or belongs to
    /// another client.
    static func find(
        _ uri: RequestURI,
        of client: String,
        at now: Timestamp,
        in database: any Database
    ) async throws(DatabaseError) -> AuthorizationRequest? {
        try await database.rows(
            """
            SELECT request FROM authorization_requests WHERE uri_hash = $1 AND client_id = $2 \
            AND binding IS NULL AND session_id IS NULL AND answered_at IS NULL AND expires_at > $3
            """,
            .blob(uri.hash),
            .text(client),
            .time(now)
        ).first.flatMap { row throws(DatabaseError) in AuthorizationRequest(json: try row.blob(0)) }
    }

    /// Opens a request for a flow of the client's app, which can be done once.
    ///
    /// - Returns: The id of the request, or `nil` if it can't be opened any more.
    static func openByApp(
        _ uri: RequestURI,
        of client: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        try transaction.rows(
            """
            UPDATE authorization_requests SET binding = $5, requested_at = $1, expires_at = $2, is_extended = 0 \
            WHERE uri_hash = $3 AND client_id = $4 AND binding IS NULL AND session_id IS NULL \
            AND answered_at IS NULL AND expires_at > $1 RETURNING id
            """,
            .time(now),
            .time(now + AuthorizationRequestRepository.lifespan),
            .blob(uri.hash),
            .text(client),
            .blob(StoredAuthorization.appBinding)
        ).first?.identifier(0)
    }

    // MARK: Approvals

    /// The condition that the session `$2` can open a request at the time `$1`: no other active session has it.
    ///
    /// A session that has ended can't give its request back.
    private static let isAvailable: SQL = """
        binding IS NULL AND (session_id IS NULL OR session_id = $2 OR NOT EXISTS (SELECT 1 FROM sessions s \
        WHERE s.id = authorization_requests.session_id AND s.revoked_at IS NULL AND s.expires_at > $1))
        """

    /// Returns the id of a request that a session can open or has opened, even if it was answered or has expired.
    static func find(
        _ uri: RequestURI,
        of client: String,
        by session: Identifier,
        at now: Timestamp,
        in database: any Database
    ) async throws(DatabaseError) -> Identifier? {
        try await database.rows(
            "SELECT id FROM authorization_requests WHERE uri_hash = $3 AND client_id = $4 AND \(isAvailable)",
            .time(now),
            .identifier(session),
            .blob(uri.hash),
            .text(client)
        ).first?.identifier(0)
    }

    /// Opens a request in an app whose session can approve it.
    ///
    /// Only one session at a time has a request. It can open it again, because the response may have been lost.
    /// Only the first opening determines when the request expires, so that a request can't be made to last by
    /// opening and releasing it.
    static func open(
        _ uri: RequestURI,
        of client: String,
        by session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        try transaction.rows(
            """
            UPDATE authorization_requests SET session_id = $2, is_extended = 1, \
            expires_at = CASE WHEN is_extended = 0 THEN $5 ELSE expires_at END \
            WHERE uri_hash = $3 AND client_id = $4 AND answered_at IS NULL AND expires_at > $1 \
            AND \(isAvailable) RETURNING id
            """,
            .time(now),
            .identifier(session),
            .blob(uri.hash),
            .text(client),
            .time(now + approvalLifespan)
        ).first?.identifier(0)
    }

    /// Gives back a request that a session has opened, so that another one can open it.
    ///
    /// - Returns: Whether the request waits for a session now.
    static func release(
        _ id: Identifier,
        by session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE authorization_requests SET session_id = NULL \
            WHERE id = $1 AND (session_id = $2 OR session_id IS NULL) AND binding IS NULL \
            AND answered_at IS NULL AND expires_at > $3
            """,
            .identifier(id),
            .identifier(session),
            .time(now)
        ) == 1
    }

    /// Withdraws a request that hasn't been answered, and returns whether there was one.
    static func withdraw(
        _ uri: RequestURI,
        of client: String,
        provenBy keyThumbprint: String?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let rows = try transaction.rows(
            """
            SELECT id, request FROM authorization_requests \
            WHERE uri_hash = $1 AND client_id = $2 AND answered_at IS NULL
            """,
            .blob(uri.hash),
            .text(client)
        )
        guard let row = rows.first, let request = AuthorizationRequest(json: try row.blob(1)),
            request.keyThumbprint == nil || request.keyThumbprint == keyThumbprint
        else { return false }
        // A session that opens or releases the request meanwhile doesn't save it.
        return try transaction.execute(
            """
            UPDATE authorization_requests SET answered_at = $1 \
            WHERE id = $2 AND answered_at IS NULL AND expires_at > $1
            """,
            .time(now),
            .identifier(try row.identifier(0))
        ) == 1
    }
}
