package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The refresh token families that are stored for accounts.
package struct TokenData: AccountDataPart {
    /// Creates an instance.
    package init() {}

    /// Deletes the token families of all of an account's sessions.
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
    }

    /// Deletes the token family of a session.
    package func deleteRows(
        ofSession session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM token_families WHERE session_id = $1", .identifier(session))
    }

    /// Returns the token families of an account's sessions.
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
        return [AccountRecords(name: "token_families", rows: rows)]
    }
}
