package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The token families, grants, consents and handovers that are stored for accounts.
package struct TokenData: AccountDataPart {
    /// Creates an instance.
    package init() {}

    /// Ends all grants of an account and its open handovers, and forgets its requests that continue with a mailed
    /// link.
    package func endGrants(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try GrantRepository.endAll(of: identity, at: now, in: transaction)
        try HandoverRepository.deleteAll(of: identity, in: transaction)
        try AuthorizationRequestRepository.deleteLinks(of: identity, in: transaction)
    }

    /// Ends the grants of a client, and forgets its consents and open requests.
    package func endGrants(
        ofClient client: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE grants SET ended_at = $1 WHERE client_id = $2 AND ended_at IS NULL",
            .time(now),
            .text(client)
        )
        for table: SQL in ["consents", "authorization_requests"] {
            try transaction.execute("DELETE FROM \(table) WHERE client_id = $1", .text(client))
        }
        try HandoverRepository.deleteAll(ofClient: client, in: transaction)
    }

    /// Forgets the consents of an account that was taken over, because another user has given them.
    package func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try GrantRepository.endAll(of: identity, at: now, in: transaction)
        try AuthorizationRequestRepository.deleteLinks(of: identity, in: transaction)
        try transaction.execute("DELETE FROM consents WHERE identity_id = $1", .identifier(identity))
        try HandoverRepository.deleteAll(of: identity, in: transaction)
    }

    /// Deletes the token families of all of an account's sessions, its grants, consents and handovers.
    package func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            DELETE FROM token_families WHERE session_id IN (SELECT id FROM sessions WHERE identity_id = $1)
            """,
            .identifier(identity)
        )
        try transaction.execute(
            """
            DELETE FROM authorization_requests WHERE chosen_identity_id = $1 \
            OR grant_id IN (SELECT id FROM grants WHERE identity_id = $1) \
            OR session_id IN (SELECT id FROM sessions WHERE identity_id = $1)
            """,
            .identifier(identity)
        )
        for table: SQL in ["grants", "consents", "handover_codes"] {
            try transaction.execute("DELETE FROM \(table) WHERE identity_id = $1", .identifier(identity))
        }
    }

    /// Deletes the token family and the open handovers of a session.
    package func deleteRows(
        ofSession session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for table: SQL in ["token_families", "handover_codes"] {
            try transaction.execute("DELETE FROM \(table) WHERE session_id = $1", .identifier(session))
        }
    }

    /// Returns the token families of an account's sessions, its grants and its consents.
    ///
    /// The tokens themselves are not stored.
    package func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords] {
        let rows = try await database.rows(
            """
            SELECT f.session_id, f.opened_at, f.used_at FROM token_families f \
            JOIN sessions s ON s.id = f.session_id WHERE s.identity_id = $1 AND f.opened_at >= $2 \
            ORDER BY f.opened_at, f.session_id
            """,
            .identifier(identity),
            .time(start)
        ).map { row in
            JSONValue.object([
                "session_id": .string(try row.identifier(0).description),
                "created_at": .string(try row.time(1).description),
                "used_at": .string(try row.time(2).description),
            ])
        }
        return [
            AccountRecords(name: "token_families", rows: rows),
            AccountRecords(name: "grants", rows: try await grants(of: identity, since: start, in: database)),
            AccountRecords(
                name: "consents",
                rows: try await consents(of: identity, since: start, in: database)
            ),
        ]
    }

    private func grants(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [JSONValue] {
        try await database.rows(
            """
            SELECT id, client_id, scopes, session_id, created_at, used_at, expires_at, ended_at FROM grants \
            WHERE identity_id = $1 AND created_at >= $2 ORDER BY created_at, id
            """,
            .identifier(identity),
            .time(start)
        ).map { row in
            var members: [String: JSONValue] = [
                "id": .string(try row.identifier(0).description),
                "client_id": .string(try row.text(1)),
                "scope": .string(try row.text(2)),
                "session_id": .string(try row.identifier(3).description),
                "created_at": .string(try row.time(4).description),
                "used_at": .string(try row.time(5).description),
                "expires_at": .string(try row.time(6).description),
            ]
            if let end = try row.optional(7, as: Row.time) { members["ended_at"] = .string(end.description) }
            return .object(members)
        }
    }

    private func consents(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [JSONValue] {
        try await database.rows(
            """
            SELECT client_id, scopes, created_at, updated_at FROM consents \
            WHERE identity_id = $1 AND updated_at >= $2 ORDER BY created_at, client_id
            """,
            .identifier(identity),
            .time(start)
        ).map { row in
            .object([
                "client_id": .string(try row.text(0)),
                "scope": .string(try row.text(1)),
                "created_at": .string(try row.time(2).description),
                "updated_at": .string(try row.time(3).description),
            ])
        }
    }
}
