import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// Stores one-time codes.
///
/// Each flow has at most one code.
///
/// All functions run in the caller's transaction, so sending, counting and using a code is atomic with the
/// changes to its flow.
package enum CodeRepository {
    /// The stored code that a guess is compared with.
    package struct Guessed: Sendable {
        /// The MAC that is stored instead of the code; see ``CodeKeys``.
        package let sealed: [UInt8]
        /// The address that the code was sent to.
        ///
        /// A correct guess proves that the user controls the address.
        package let address: ContactAddress

        /// The account that the code is for, or `nil` if there is no account yet.
        ///
        /// For a decoy, this is a random id.
        package let identityID: Identifier?

        /// When the code itself expires, which is earlier than the flow's answers show if a later request
        /// sent no message.
        package let validUntil: Timestamp

        /// Whether this is the first guess that counts toward the limit.
        ///
        /// With ``Guesses/kept``, the limit applies to the whole flow.
        package let isFirst: Bool
    }

    /// Whether guesses at the previous code still count when a new code replaces it.
    package enum Guesses: Sendable {
        /// The count of guesses is reset to zero, so the limit applies to each code separately.
        case forgotten
        /// The count of guesses isn't reset, so one limit applies to all codes of the flow, as in Kratos.
        case kept
    }

    /// Stores a new code for a flow, replacing the previous one.
    ///
    /// The previous code stops working immediately, even if the new one hasn't arrived yet.
    ///
    /// - Parameters:
    ///   - code: The new code. Any guesses recorded in this value are ignored.
    ///   - flow: The id of the flow. The flow itself may be inserted later in the same transaction.
    ///   - guesses: Whether guesses at the previous code still count.
    ///   - keepsEarlier: Whether the flow's unused code for the same address stays valid until it expires.
    ///     Everything else is stored as for a new code, so a client can't tell the difference.
    ///   - now: The time when the code is issued.
    ///   - transaction: The transaction, which also enqueues the message with the code.
    /// - Throws: ``DatabaseError``.
    package static func replace(
        _ code: IssuedCode,
        of flow: Identifier,
        guesses: Guesses,
        keepsEarlier: Bool = false,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO codes
                (flow_id, via, address, identity_id, code_mac, attempts, asked_from, issued_at, expires_at, valid_until,
                used_at)
            VALUES ($1, $2, $3, $4, $5, 0, $10, $6, $7, $7, NULL)
            ON CONFLICT (flow_id) DO UPDATE SET
                via = excluded.via, address = excluded.address, identity_id = excluded.identity_id,
                code_mac = CASE WHEN $9 = 1 AND codes.used_at IS NULL AND codes.via = excluded.via
                    AND codes.address = excluded.address THEN codes.code_mac ELSE excluded.code_mac END,
                valid_until = CASE WHEN $9 = 1 AND codes.used_at IS NULL AND codes.via = excluded.via
                    AND codes.address = excluded.address THEN codes.valid_until ELSE excluded.valid_until END,
                attempts = codes.attempts * $8, asked_from = excluded.asked_from,
                issued_at = excluded.issued_at, expires_at = excluded.expires_at, used_at = NULL
            """,
            .identifier(flow),
            .text(code.address.via.rawValue),
            .text(code.address.value),
            .identifier(code.identityID),
            .blob(code.sealed),
            .time(now),
            .time(code.expiresAt),
            .integer(guesses == .kept ? 1 : 0),
            .integer(keepsEarlier ? 1 : 0),
            .optional(code.askedFrom)
        )
    }

    /// Returns the flow's code, even if it was used or has expired, or `nil` if the flow has no code.
    ///
    /// - Throws: ``DatabaseError``.
    package static func find(
        of flow: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> IssuedCode? {
        let rows = try transaction.rows(
            """
            SELECT via, address, identity_id, code_mac, attempts, expires_at, used_at, asked_from
            FROM codes WHERE flow_id = $1
            """,
            .identifier(flow)
        )
        guard let row = rows.first else { return nil }
        return IssuedCode(
            address: try row.address(0),
            identityID: try row.optional(2, as: Row.identifier),
            sealed: try row.blob(3),
            askedFrom: try row.optional(7, as: Row.text),
            attempts: Int(try row.integer(4)),
            expiresAt: try row.time(5),
            usedAt: try row.optional(6, as: Row.time)
        )
    }

    /// Returns when and where a flow's latest code was asked for, or `nil` if the flow has no code.
    static func origin(of flow: Identifier, in database: any Database) async throws -> MailedRequest? {
        try await database.rows(
            "SELECT address, issued_at, asked_from FROM codes WHERE flow_id = $1",
            .identifier(flow)
        ).first.map { row in
            MailedRequest(
                address: try row.text(0),
                askedAt: try row.time(1),
                askedFrom: try row.optional(2, as: Row.text)
            )
        }
    }

    /// Counts a guess.
    ///
    /// Call this before comparing the guess with the code.
    ///
    /// A single statement checks the limit and counts the guess, so concurrent guesses cannot exceed the
    /// limit. The guess is counted even if it is correct, provided that the transaction commits.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow.
    ///   - channel: The channel that the code must have been sent by, or `nil` for any.
    ///   - limit: The maximum number of guesses per code.
    ///   - now: The time of the guess.
    ///   - transaction: The transaction in which the guess is counted.
    /// - Returns: The code to compare with, or `nil` if there is no code or it was used, has expired or has
    ///   no guesses left.
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
            RETURNING code_mac, via, address, identity_id, attempts, valid_until
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
            validUntil: try row.time(5),
            isFirst: try row.integer(4) == 1
        )
    }

    /// Marks a code as used, and no longer counts the correct guess.
    ///
    /// A flow that proves several addresses keeps its guesses for the next code.
    ///
    /// The code is identified by its MAC. If a new code has replaced the used one in the meantime, the new
    /// code isn't affected.
    ///
    /// - Returns: `false` if another request has used the code, or if a new code has replaced it.
    /// - Throws: ``DatabaseError``.
    package static func use(
        _ sealed: [UInt8],
        of flow: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE codes SET used_at = $1, attempts = attempts - 1
            WHERE flow_id = $2 AND code_mac = $3 AND used_at IS NULL
            """,
            .time(now),
            .identifier(flow),
            .blob(sealed)
        ) == 1
    }

    /// Deletes codes that expired before the given time, oldest first, and returns how many were deleted.
    ///
    /// At most `limit` codes are deleted. When a flow is deleted with
    /// ``FlowRepository/deleteExpired(_:before:atMost:in:)``, its code is deleted too.
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
    /// Reads an address from two adjacent columns, its channel and its value.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` if this version of the server doesn't know the
    ///   channel.
    fileprivate func address(_ column: Int) throws(DatabaseError) -> ContactAddress {
        guard let via = Message.Channel(rawValue: try text(column)) else {
            throw DatabaseError(.mismatch, message: "Column \(column) does not contain a channel.")
        }
        return ContactAddress(via: via, value: try text(column + 1))
    }
}
