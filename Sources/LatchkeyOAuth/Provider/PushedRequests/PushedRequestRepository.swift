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
    /// How long another app can take to approve a request that it has opened.
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
            UPDATE authorization_requests SET binding = $5, requested_at = $1, expires_at = $2 \
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
            UPDATE authorization_requests SET binding = $5, requested_at = $1, expires_at = $2 \
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

    /// Returns the id of a request that a session can open or has opened.
    static func find(
        _ uri: RequestURI,
        of client: String,
        by session: Identifier,
        at now: Timestamp,
        in database: any Database
    ) async throws(DatabaseError) -> Identifier? {
        try await database.rows(
            """
            SELECT id FROM authorization_requests WHERE uri_hash = $1 AND client_id = $2 AND binding IS NULL \
            AND (session_id IS NULL OR session_id = $3) AND answered_at IS NULL AND expires_at > $4
            """,
            .blob(uri.hash),
            .text(client),
            .identifier(session),
            .time(now)
        ).first?.identifier(0)
    }

    /// Opens a request in an app whose session can approve it.
    ///
    /// Only one session can open a request. It can do so again, because the response may have been lost.
    static func open(
        _ uri: RequestURI,
        of client: String,
        by session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        try transaction.rows(
            """
            UPDATE authorization_requests SET session_id = $5, \
            expires_at = CASE WHEN session_id IS NULL THEN $2 ELSE expires_at END \
            WHERE uri_hash = $3 AND client_id = $4 AND binding IS NULL \
            AND (session_id IS NULL OR session_id = $5) AND answered_at IS NULL AND expires_at > $1 RETURNING id
            """,
            .time(now),
            .time(now + approvalLifespan),
            .blob(uri.hash),
            .text(client),
            .identifier(session)
        ).first?.identifier(0)
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
        return try AuthorizationRequestRepository.answer(
            try row.identifier(0),
            with: nil,
            at: now,
            in: transaction
        )
    }
}
