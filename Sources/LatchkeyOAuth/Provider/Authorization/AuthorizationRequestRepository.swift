import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// Stores the authorization requests that can't be answered at once.
package struct AuthorizationRequestRepository: Sendable {
    /// How long a request waits for its user.
    static let lifespan = Duration.seconds(600)
    /// How long a request waits after the user has submitted the first form.
    static let extendedLifespan = Duration.seconds(3600)

    private static let columns: SQL = """
        id, request, binding, requested_at, expires_at, is_extended, chosen_identity_id, grant_id, answered_at, \
        session_id
        """

    private let database: any Database

    package init(database: any Database) {
        self.database = database
    }

    /// Returns the request with an id, even if it was answered or has expired.
    func find(_ id: Identifier) async throws(DatabaseError) -> StoredAuthorization? {
        try await database.rows(
            "SELECT \(Self.columns) FROM authorization_requests WHERE id = $1",
            .identifier(id)
        ).first.map { row throws(DatabaseError) in try StoredAuthorization(row: row) }
    }

    /// Stores a request of a browser.
    static func insert(
        _ request: AuthorizationRequest,
        id: Identifier,
        boundTo secret: CSRFSecret,
        choosing chosen: Identifier? = nil,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try insert(
            request,
            id: id,
            binding: StoredAuthorization.binding(of: id, to: secret),
            choosing: chosen,
            at: now,
            in: transaction
        )
    }

    /// Stores a request that continues with a mailed link.
    static func insertForLink(
        _ request: AuthorizationRequest,
        id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try insert(
            request,
            id: id,
            binding: StoredAuthorization.linkBinding,
            choosing: nil,
            at: now,
            in: transaction
        )
    }

    private static func insert(
        _ request: AuthorizationRequest,
        id: Identifier,
        binding: [UInt8],
        choosing chosen: Identifier?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO authorization_requests (id, client_id, request, binding, requested_at, expires_at, \
            is_extended, chosen_identity_id) VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
            """,
            .identifier(id),
            .text(request.clientID),
            .blob(request.json),
            .blob(binding),
            .time(now),
            .time(now + lifespan),
            .identifier(chosen)
        )
    }

    /// Binds a request to the current secret of its browser, which has changed with a login.
    func bind(_ id: Identifier, to secret: CSRFSecret) async throws {
        _ = try await database.transaction { transaction in
            try transaction.execute(
                "UPDATE authorization_requests SET binding = $1 WHERE id = $2",
                .blob(StoredAuthorization.binding(of: id, to: secret)),
                .identifier(id)
            )
        }
    }

    /// Makes an open request last longer after its first form.
    static func extend(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE authorization_requests SET is_extended = 1, expires_at = $1 \
            WHERE id = $2 AND is_extended = 0 AND answered_at IS NULL AND expires_at > $3
            """,
            .time(now + extendedLifespan),
            .identifier(id),
            .time(now)
        )
    }

    /// Records the account whose mail contains the link with which an open request continues.
    static func attach(
        _ id: Identifier,
        to identity: Identifier,
        until expiresAt: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE authorization_requests SET chosen_identity_id = $1, is_extended = 1, expires_at = $2 \
            WHERE id = $3 AND binding = $4 AND answered_at IS NULL AND expires_at > $5
            """,
            .identifier(identity),
            .time(expiresAt),
            .identifier(id),
            .blob(StoredAuthorization.linkBinding),
            .time(now)
        )
    }

    /// Deletes the requests of an account that continue with a mailed link.
    static func deleteLinks(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "DELETE FROM authorization_requests WHERE chosen_identity_id = $1 AND binding = $2",
            .identifier(identity),
            .blob(StoredAuthorization.linkBinding)
        )
    }

    /// Records the account that the user has chosen.
    func choose(_ identity: Identifier, for id: Identifier) async throws {
        _ = try await database.transaction { transaction in
            try transaction.execute(
                "UPDATE authorization_requests SET chosen_identity_id = $1 WHERE id = $2",
                .identifier(identity),
                .identifier(id)
            )
        }
    }

    /// Records that the client has got its answer.
    ///
    /// - Parameters:
    ///   - id: The id of the request.
    ///   - grant: The grant, or `nil` if the request was refused.
    ///   - approver: The session that must have opened the request, or `nil` if it was opened in another way.
    ///   - now: The current time.
    ///   - transaction: The transaction that stores the grant.
    /// - Returns: Whether the request was still open.
    /// - Throws: ``DatabaseError``.
    static func answer(
        _ id: Identifier,
        with grant: Identifier?,
        by approver: Identifier?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE authorization_requests SET answered_at = $1, grant_id = $2 \
            WHERE id = $3 AND answered_at IS NULL AND expires_at > $1 \
            AND (session_id = $4 OR (session_id IS NULL AND $4 IS NULL))
            """,
            .time(now),
            .identifier(grant),
            .identifier(id),
            .identifier(approver)
        ) == 1
    }

    /// Returns the grant of a request that was answered, or `nil` if there is none.
    static func grant(
        of id: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        try transaction.rows(
            "SELECT grant_id FROM authorization_requests WHERE id = $1",
            .identifier(id)
        ).first?.optional(0, as: Row.identifier)
    }

    /// Deletes requests that have expired.
    static func deleteExpired(
        at now: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM authorization_requests WHERE id IN (SELECT id FROM authorization_requests \
            WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(now),
            .integer(Int64(limit))
        )
    }
}

extension StoredAuthorization {
    init(row: Row) throws(DatabaseError) {
        guard let request = AuthorizationRequest(json: try row.blob(1)) else {
            throw DatabaseError(.mismatch, message: "An authorization request can't be read.")
        }
        id = try row.identifier(0)
        self.request = request
        binding = try row.optional(2, as: Row.blob)
        requestedAt = try row.time(3)
        expiresAt = try row.time(4)
        isExtended = try row.bool(5)
        chosen = try row.optional(6, as: Row.identifier)
        grant = try row.optional(7, as: Row.identifier)
        answeredAt = try row.optional(8, as: Row.time)
        approver = try row.optional(9, as: Row.identifier)
    }
}
