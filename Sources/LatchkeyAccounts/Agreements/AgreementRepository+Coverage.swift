package import LatchkeyModel
package import LatchkeyServerKit

extension AgreementRepository {
    /// The number of active accounts that have answered the same versions.
    package struct Group: Sendable {
        /// The client at which the accounts have active sessions, or `nil` for all accounts.
        package let clientID: String?
        package let agreements: Agreements
        package let accounts: Int
    }

    /// Returns all active accounts, grouped by what they have answered.
    ///
    /// The database reads all accounts, so this is only for an operator's request.
    package static func groups(in database: any Database) async throws(DatabaseError) -> [Group] {
        let rows = try await database.rows(
            "SELECT agreements, COUNT(*) FROM identities WHERE state = 'active' GROUP BY agreements"
        )
        var groups: [Group] = []
        for row in rows {
            groups.append(
                Group(
                    clientID: nil,
                    agreements: Agreements(column: try row.optional(0, as: Row.text)),
                    accounts: Int(try row.integer(1))
                )
            )
        }
        return groups
    }

    /// Returns the active accounts with active sessions of clients, grouped by client and by what they have answered.
    ///
    /// An account counts once at each of its clients. The database reads all sessions, so this is only for an
    /// operator's request.
    package static func groupsOfClients(
        at now: Timestamp,
        in database: any Database
    ) async throws(DatabaseError) -> [Group] {
        let rows = try await database.rows(
            """
            SELECT client_id, agreements, COUNT(*) FROM (\
            SELECT DISTINCT s.client_id, i.id, i.agreements FROM sessions s \
            JOIN identities i ON i.id = s.identity_id \
            WHERE s.client_id IS NOT NULL AND i.state = 'active' AND s.revoked_at IS NULL AND s.expires_at > $1\
            ) AS users GROUP BY client_id, agreements ORDER BY client_id
            """,
            .time(now)
        )
        var groups: [Group] = []
        for row in rows {
            groups.append(
                Group(
                    clientID: try row.text(0),
                    agreements: Agreements(column: try row.optional(1, as: Row.text)),
                    accounts: Int(try row.integer(2))
                )
            )
        }
        return groups
    }
}
