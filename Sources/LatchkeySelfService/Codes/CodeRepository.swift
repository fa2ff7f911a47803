import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// A repository of one-time codes; a flow has at most one code.
///
/// All functions run in the caller's transaction, so a code is sent, counted and used atomically with the
/// change to its flow.
package enum CodeRepository {
    /// The stored code with which a guess is compared.
    package struct Guessed: Sendable {
        /// The stored MAC (``CodeKeys``).
        package let sealed: [UInt8]
        /// The address to which the code was sent, which a correct guess proves.
        package let address: ContactAddress

        /// The account that the code belongs to; a random id for a decoy, and `nil` if there is no account
        /// yet.
        package let identityID: Identifier?

        /// Whether this was the first counted guess at the code, or in the flow if ``Guesses/kept`` applies.
        package let isFirst: Bool
    }

    /// Whether guesses at an old code count toward the limit of the code that replaces it.
    package enum Guesses: Sendable {
        /// The count restarts, so the limit applies to each code.
        case forgotten
        /// The count continues, so the limit applies to the whole flow, as in Kratos.
        case kept
    }

    /// Stores a new code for a flow, replacing its old one.
    ///
    /// The old code is no longer accepted, even if the new one has not arrived yet.
    ///
    /// - Parameters:
    ///   - code: The new code; its number of attempts is ignored.
    ///   - flow: The id of the flow, which may be inserted later in the same transaction.
    ///   - guesses: Whether guesses at the old code count toward the limit of the new one.
    ///   - now: The time of issue.
    ///   - transaction: The transaction that also enqueues the message with the code.
    /// - Throws: ``DatabaseError``.
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

    /// Returns the code of a flow, even if the code was used or has expired; `nil` if the flow has no code.
    ///
    /// - Throws: ``DatabaseError``.
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
            identityID: try row.optional(2, as: Row.identifier),
            sealed: try row.blob(3),
            attempts: Int(try row.integer(4)),
            expiresAt: try row.time(5),
            usedAt: try row.optional(6, as: Row.time)
        )
    }

    /// Counts a guess before it is compared.
    ///
    /// A single statement checks the limit and counts the guess, so concurrent guesses cannot exceed the
    /// limit. Both correct and wrong guesses are counted when the transaction commits.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow.
    ///   - channel: The channel by which the code must have been sent; `nil` for any.
    ///   - limit: The number of guesses that a code accepts.
    ///   - now: The time of the guess.
    ///   - transaction: The transaction in which the guess is counted.
    /// - Returns: The code to compare with; `nil` if it was used, has expired or has no guesses left, or if
    ///   the flow has no code.
    /// - Throws: ``DatabaseError``.
    package static func countAttempt(
        of flow: Identifier,
        via channel: Message.Channel? = nil,
        limit: Int,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Guessed? {
        let rows = try transaction.rows(
            """
            UPDATE codes SET attempts = attempts + 1
            WHERE flow_id = $1 AND attempts < $2 AND expires_at > $3 AND used_at IS NULL
                AND via = COALESCE($4, via)
            RETURNING code_mac, via, address, identity_id, attempts
            """,
            .identifier(flow),
            .integer(Int64(limit)),
            .time(now),
            .optional(channel?.rawValue)
        )
        guard let row = rows.first else { return nil }
        return Guessed(
            sealed: try row.blob(0),
            address: try row.address(1),
            identityID: try row.optional(3, as: Row.identifier),
            isFirst: try row.integer(4) == 1
        )
    }

    /// Marks a code as used.
    ///
    /// The code is identified by its MAC, so a code that has replaced it in the meantime stays open.
    ///
    /// - Returns: `false` if another request has used the code, or a new code has replaced it.
    /// - Throws: ``DatabaseError``.
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

    /// Deletes codes that expired before a given time, in order of expiry, and returns their number.
    ///
    /// At most `limit` codes are deleted. The codes of deleted flows are deleted by
    /// ``FlowRepository/deleteExpired(_:before:atMost:in:)``.
    ///
    /// - Throws: ``DatabaseError``.
    package static func deleteExpired(
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
    /// Reads an address from two adjacent columns: its channel and its value.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` for a channel that is unknown to this version of
    ///   the server.
    fileprivate func address(_ column: Int) throws(DatabaseError) -> ContactAddress {
        guard let via = Message.Channel(rawValue: try text(column)) else {
            throw DatabaseError(.mismatch, message: "Column \(column) does not contain a channel.")
        }
        return ContactAddress(via: via, value: try text(column + 1))
    }
}
