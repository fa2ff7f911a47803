package import LatchkeyModel

/// The codes under way, one for each flow.
package enum PhoneCodeRepository {
    /// Puts a new code in the place of the flow's old one; guesses are counted from zero.
    package static func replace(
        _ code: PhoneCode,
        of flow: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO phone_codes (flow_id, phone, code_mac, attempts, issued_at, expires_at, used_at)
            VALUES ($1, $2, $3, 0, $4, $5, NULL)
            ON CONFLICT (flow_id) DO UPDATE SET
                phone = excluded.phone, code_mac = excluded.code_mac, attempts = 0,
                issued_at = excluded.issued_at, expires_at = excluded.expires_at, used_at = NULL
            """,
            .identifier(flow),
            .text(code.phone.e164),
            .blob(code.sealed),
            .time(now),
            .time(code.expiresAt)
        )
    }

    /// The flow's code, whatever its state.
    package static func find(
        of flow: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> PhoneCode? {
        let rows = try transaction.rows(
            "SELECT phone, code_mac, attempts, expires_at, used_at FROM phone_codes WHERE flow_id = $1",
            .identifier(flow)
        )
        guard let row = rows.first else { return nil }
        return PhoneCode(
            phone: try row.phone(0),
            sealed: try row.blob(1),
            attempts: Int(try row.integer(2)),
            expiresAt: try row.time(3),
            usedAt: try row.optional(4, Row.time)
        )
    }

    /// Counts a guess before it is judged.
    ///
    /// - Returns: The code to compare with; nothing when the flow has none that takes a guess.
    package static func countAttempt(
        of flow: Identifier,
        limit: Int,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (sealed: [UInt8], phone: PhoneNumber)? {
        let rows = try transaction.rows(
            """
            UPDATE phone_codes SET attempts = attempts + 1
            WHERE flow_id = $1 AND attempts < $2 AND expires_at > $3 AND used_at IS NULL
            RETURNING code_mac, phone
            """,
            .identifier(flow),
            .integer(Int64(limit)),
            .time(now)
        )
        guard let row = rows.first else { return nil }
        return (try row.blob(0), try row.phone(1))
    }

    /// Uses a code up.
    ///
    /// - Returns: Whether this call did it; false when another did, or a new code took its place.
    package static func use(
        _ sealed: [UInt8],
        of flow: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE phone_codes SET used_at = $1
            WHERE flow_id = $2 AND code_mac = $3 AND used_at IS NULL
            """,
            .time(now),
            .identifier(flow),
            .blob(sealed)
        ) == 1
    }
}

extension Row {
    fileprivate func phone(_ column: Int) throws(DatabaseError) -> PhoneNumber {
        guard let phone = PhoneNumber(try text(column)) else {
            throw DatabaseError(.mismatch, "Column \(column) of the answer is no phone number.")
        }
        return phone
    }
}
