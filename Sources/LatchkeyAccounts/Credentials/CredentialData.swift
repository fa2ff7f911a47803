import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The credentials that are stored for accounts, except passwords.
struct CredentialData: AccountDataPart {
    /// Deletes the credentials of the account's creator, who would otherwise share the account with its owner.
    func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try CredentialRepository.deleteAll(of: identity, in: transaction)
    }

    func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try CredentialRepository.deleteAll(of: identity, in: transaction)
    }

    /// Returns the methods of the credentials, and when they were set up.
    func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords] {
        let rows = try await database.rows(
            """
            SELECT id, method, created_at FROM credentials WHERE identity_id = $1 AND created_at >= $2 \
            ORDER BY created_at, id
            """,
            .identifier(identity),
            .time(start)
        )
        let records = try rows.map { row in
            JSONValue.object([
                "id": .string(try row.identifier(0).description),
                "method": .string(try row.text(1)),
                "created_at": .string(try row.time(2).description),
            ])
        }
        return [AccountRecords(name: "credentials", rows: records)]
    }
}
