package import LatchkeyModel
package import LatchkeyServerKit

/// A user's consent to the scopes of a client.
package struct Consent: Hashable, Sendable {
    /// The id of the client.
    package let client: String
    package let scopes: [String]
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
}

/// Stores consents, one for each account and client.
package struct ConsentRepository: Sendable {
    /// The maximum number of consents per account.
    static let mostPerAccount: Int64 = 200

    private let database: any Database

    package init(database: any Database) {
        self.database = database
    }

    /// Returns the consent of an account to a client, if there is one.
    func find(_ client: String, of identity: Identifier) async throws(DatabaseError) -> Consent? {
        try await database.rows(
            "SELECT client_id, scopes, created_at, updated_at FROM consents WHERE identity_id = $1 AND client_id = $2",
            .identifier(identity),
            .text(client)
        ).first.map { row throws(DatabaseError) in try Consent(row: row) }
    }

    /// Returns all consents of an account, the latest first.
    func all(of identity: Identifier) async throws(DatabaseError) -> [Consent] {
        var consents: [Consent] = []
        for row in try await database.rows(
            """
            SELECT client_id, scopes, created_at, updated_at FROM consents WHERE identity_id = $1 \
            ORDER BY updated_at DESC, client_id
            """,
            .identifier(identity)
        ) {
            consents.append(try Consent(row: row))
        }
        return consents
    }

    /// Adds scopes to a user's consent, and removes those that the user has left out this time.
    ///
    /// If the account now has too many consents, the oldest ones are forgotten, and the user is asked again.
    static func save(
        _ scopes: [String],
        of requested: [String],
        for client: String,
        by identity: Identifier,
        in session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let rows = try transaction.rows(
            "SELECT scopes FROM consents WHERE identity_id = $1 AND client_id = $2",
            .identifier(identity),
            .text(client)
        )
        let known =
            try rows.first.map { row throws(DatabaseError) in [String](scopes: try row.text(0)) } ?? []
        let all = known.filter { !requested.contains($0) } + scopes
        try transaction.execute(
            """
            INSERT INTO consents (identity_id, client_id, scopes, session_id, created_at, updated_at) \
            VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (identity_id, client_id) \
            DO UPDATE SET scopes = $3, session_id = $4, updated_at = $5
            """,
            .identifier(identity),
            .text(client),
            .text(all.scopeText),
            .identifier(session),
            .time(now)
        )
        try transaction.execute(
            """
            DELETE FROM consents WHERE identity_id = $1 AND client_id IN (SELECT client_id FROM consents \
            WHERE identity_id = $1 ORDER BY updated_at DESC, client_id LIMIT 1000000 OFFSET $2)
            """,
            .identifier(identity),
            .integer(mostPerAccount)
        )
    }

    /// Forgets the consent of an account to a client, and returns whether there was one.
    static func remove(
        _ client: String,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "DELETE FROM consents WHERE identity_id = $1 AND client_id = $2",
            .identifier(identity),
            .text(client)
        ) == 1
    }
}

extension Consent {
    init(row: Row) throws(DatabaseError) {
        client = try row.text(0)
        scopes = [String](scopes: try row.text(1))
        createdAt = try row.time(2)
        updatedAt = try row.time(3)
    }
}
