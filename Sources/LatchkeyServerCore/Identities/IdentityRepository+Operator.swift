import LatchkeyModel
import LatchkeyWire

extension IdentityRepository {
    /// Finds an identity by its id.
    static func find(_ id: Identifier, in database: any Database) async throws -> IdentityRecord? {
        try await database.rows(
            "SELECT id, schema_id, state, body FROM identities WHERE id = $1",
            .identifier(id)
        ).first.map(IdentityRecord.init(row:))
    }

    /// Closes an account.
    ///
    /// Its password's row is written to its own value: that is where a login that is under way meets this.
    ///
    /// - Returns: Whether it was open, and is as it was read.
    static func disable(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        let row = try transaction.rows(
            "SELECT id, schema_id, state, body FROM identities WHERE id = $1",
            .identifier(id)
        ).first
        guard let row else { return false }
        let record = try IdentityRecord(row: row)
        let changed = try transaction.execute(
            """
            UPDATE identities SET state = 'inactive', body = $1, state_changed_at = $2, updated_at = $2 \
            WHERE id = $3 AND state = 'active' AND body = $4
            """,
            .blob(try record.bodyWhenDisabled(at: now)),
            .time(now),
            .identifier(id),
            .blob(record.body)
        )
        guard changed == 1 else { return false }
        try transaction.execute("UPDATE passwords SET hash = hash WHERE identity_id = $1", .identifier(id))
        return true
    }
}

extension IdentityRecord {
    /// The kept members with another state, in their order.
    fileprivate func bodyWhenDisabled(at now: Timestamp) throws -> [UInt8] {
        let whole = [UInt8(ascii: "{")] + body + [UInt8(ascii: "}")]
        guard case .object(let members) = try JSONParser.parse(whole) else { return body }
        var writer = JSONWriter(reserving: whole.count + 16)
        writer.object { writer in
            for member in members {
                writer.name(escaping: member.name)
                switch member.name {
                case "state": writer.string(Self.inactive)
                case "state_changed_at", "updated_at": writer.time(now)
                default: writer.value(ordered: member.value)
                }
            }
        }
        return Array(writer.bytes.dropFirst().dropLast())
    }
}
