package import LatchkeyModel
package import LatchkeyServerKit

/// Stores the answers of users to documents.
///
/// Rows are only ever added. When an account is erased or taken over, its rows are closed: they lose the session, and
/// get a keyed hash of the account's identifiers. Triggers reject every other change.
package enum TermsEvidenceRepository {
    private static let columns: SQL = """
        id, identity_id, number, document_key, version, language, hash, answer, shown, session_id, client_id, \
        answered_at
        """

    private static let all: SQL = """
        SELECT \(columns) FROM terms_evidence WHERE identity_id = $1 AND closed_at IS NULL ORDER BY number
        """

    /// Returns the answers of an account's present user, in the order in which they were given.
    package static func all(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [TermsEvidence] {
        try transaction.rows(all, .identifier(identity)).map(TermsEvidence.init(row:))
    }

    /// Returns the answers of an account's present user, in the order in which they were given.
    package static func all(
        of identity: Identifier,
        in database: any Database
    ) async throws(DatabaseError) -> [TermsEvidence] {
        try await database.rows(all, .identifier(identity)).map(TermsEvidence.init(row:))
    }

    /// The time at which an account was erased or taken over, and keyed hashes of its identifiers.
    package struct Closing: Hashable, Sendable {
        package let identityHash: String
        package let time: Timestamp
    }

    /// Returns all answers of an account, also after it was erased, with those of earlier users.
    static func history(
        of identity: Identifier,
        in database: any Database
    ) async throws(DatabaseError) -> [(TermsEvidence, Closing?)] {
        let rows = try await database.rows(
            """
            SELECT \(columns), identity_hash, closed_at FROM terms_evidence WHERE identity_id = $1 \
            ORDER BY number
            """,
            .identifier(identity)
        )
        var history: [(TermsEvidence, Closing?)] = []
        for row in rows {
            let time = try row.optional(13, as: Row.time)
            let hash = try row.optional(12, as: Row.text) ?? ""
            history.append(
                (try TermsEvidence(row: row), time.map { Closing(identityHash: hash, time: $0) })
            )
        }
        return history
    }

    /// Returns the position of an account's next answer.
    ///
    /// The caller must hold the account's row, so that no other answer gets the same position.
    static func nextNumber(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        let rows = try transaction.rows(
            "SELECT COALESCE(MAX(number), 0) FROM terms_evidence WHERE identity_id = $1",
            .identifier(identity)
        )
        return Int(try rows.first?.integer(0) ?? 0) + 1
    }

    static func insert(
        _ evidence: TermsEvidence,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let answer = evidence.answer
        try transaction.execute(
            """
            INSERT INTO terms_evidence (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            .identifier(evidence.id),
            .identifier(evidence.identityID),
            .integer(Int64(evidence.number)),
            .text(answer.document),
            .integer(Int64(answer.version)),
            .text(answer.language),
            .blob(answer.hash),
            .text(answer.kind.rawValue),
            .text(answer.shown.rawValue),
            .identifier(evidence.sessionID),
            .optional(evidence.clientID),
            .time(evidence.answeredAt)
        )
    }

    /// Closes the answers of an account that is erased or taken over.
    ///
    /// - Parameters:
    ///   - identity: The account.
    ///   - hash: Keyed hashes of the identifiers of the user who has given the answers, or an empty text.
    ///   - now: The current time, with which the retention period begins.
    ///   - transaction: The database transaction that erases the account or changes its owner.
    /// - Throws: ``DatabaseError``.
    static func close(
        of identity: Identifier,
        hash: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE terms_evidence SET identity_hash = $1, session_id = NULL, closed_at = $2 \
            WHERE identity_id = $3 AND closed_at IS NULL
            """,
            .text(hash),
            .time(now),
            .identifier(identity)
        )
    }

    /// Deletes answers that were closed before a time, the oldest first, and returns their number.
    package static func deleteClosed(
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM terms_evidence WHERE id IN (\
            SELECT id FROM terms_evidence WHERE closed_at < $1 ORDER BY closed_at, id LIMIT $2)
            """,
            .time(time),
            .integer(Int64(limit))
        )
    }
}

extension TermsEvidence {
    fileprivate init(row: Row) throws(DatabaseError) {
        guard let kind = TermsAnswer.Kind(rawValue: try row.text(7)),
            let shown = TermsAnswer.Surface(rawValue: try row.text(8))
        else { throw DatabaseError(.mismatch, message: "A stored answer cannot be read.") }
        self.init(
            id: try row.identifier(0),
            identityID: try row.identifier(1),
            number: Int(try row.integer(2)),
            answer: TermsAnswer(
                document: try row.text(3),
                version: Int(try row.integer(4)),
                language: try row.text(5),
                hash: try row.blob(6),
                kind: kind,
                shown: shown
            ),
            sessionID: try row.optional(9, as: Row.identifier),
            clientID: try row.optional(10, as: Row.text),
            answeredAt: try row.time(11)
        )
    }
}
