package import LatchkeyModel

/// The codes under way, one for each flow.
package enum CodeRepository {
    /// What a guess is compared with.
    package struct Guessed: Sendable {
        package let sealed: [UInt8]
        package let address: Traits.Address
        package let identityID: Identifier?

        /// Whether this was the first guess at the code.
        package let isFirst: Bool
    }

    /// What becomes of the guesses at a flow's old code when a new one takes its place.
    package enum Guesses: Sendable {
        /// They count no more: the limit is the code's.
        case forgotten
        /// They count on: the limit is the flow's, as in Kratos.
        case kept
    }

    /// Puts a new code in the place of the flow's old one.
    package static func replace(
        _ code: IssuedCode,
        of flow: Identifier,
        guesses: Guesses,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO codes (flow_id, via, address, identity_id, code_mac, attempts, issued_at, expires_at, used_at)
            VALUES ($1, $2, $3, $4, $5, 0, $6, $7, NULL)
            ON CONFLICT (flow_id) DO UPDATE SET
                via = excluded.via, address = excluded.address, identity_id = excluded.identity_id,
                code_mac = excluded.code_mac, attempts = codes.attempts * $8,
                issued_at = excluded.issued_at, expires_at = excluded.expires_at, used_at = NULL
            """,
            .identifier(flow),
            .text(code.address.via.rawValue),
            .text(code.address.value),
            .identifier(code.identityID),
            .blob(code.sealed),
            .time(now),
            .time(code.expiresAt),
            .integer(guesses == .kept ? 1 : 0)
        )
    }

    /// The flow's code, whatever its state.
    package static func find(
        of flow: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> IssuedCode? {
        let rows = try transaction.rows(
            """
            SELECT via, address, identity_id, code_mac, attempts, expires_at, used_at
            FROM codes WHERE flow_id = $1
            """,
            .identifier(flow)
        )
        guard let row = rows.first else { return nil }
        return IssuedCode(
            address: try row.address(0),
            identityID: try row.optional(2, Row.identifier),
            sealed: try row.blob(3),
            attempts: Int(try row.integer(4)),
            expiresAt: try row.time(5),
            usedAt: try row.optional(6, Row.time)
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
    ) throws(DatabaseError) -> Guessed? {
        let rows = try transaction.rows(
            """
            UPDATE codes SET attempts = attempts + 1
            WHERE flow_id = $1 AND attempts < $2 AND expires_at > $3 AND used_at IS NULL
            RETURNING code_mac, via, address, identity_id, attempts
            """,
            .identifier(flow),
            .integer(Int64(limit)),
            .time(now)
        )
        guard let row = rows.first else { return nil }
        return Guessed(
            sealed: try row.blob(0),
            address: try row.address(1),
            identityID: try row.optional(3, Row.identifier),
            isFirst: try row.integer(4) == 1
        )
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
            UPDATE codes SET used_at = $1
            WHERE flow_id = $2 AND code_mac = $3 AND used_at IS NULL
            """,
            .time(now),
            .identifier(flow),
            .blob(sealed)
        ) == 1
    }

    /// Deletes what was over before a time, the longest first; tells how many.
    static func deleteExpired(
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM codes WHERE flow_id IN
                (SELECT flow_id FROM codes WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(time),
            .integer(Int64(limit))
        )
    }
}

extension Row {
    /// Reads an address from two columns that stand side by side.
    fileprivate func address(_ column: Int) throws(DatabaseError) -> Traits.Address {
        guard let via = TraitSchema.Channel(rawValue: try text(column)) else {
            throw DatabaseError(.mismatch, "Column \(column) of the answer is no channel.")
        }
        return Traits.Address(via: via, value: try text(column + 1))
    }
}
