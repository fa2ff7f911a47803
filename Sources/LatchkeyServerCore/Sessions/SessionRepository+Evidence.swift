import LatchkeyModel

extension SessionRepository {
    /// Returns the evidence that the owner of a session has given.
    ///
    /// - Returns: The evidence; that of the method alone for a session of an earlier version.
    static func evidence(
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> SessionEvidence {
        let rows = try transaction.rows(
            "SELECT evidence, method FROM sessions WHERE id = $1",
            .identifier(session)
        )
        guard let row = rows.first else { return SessionEvidence() }
        if let text = try row.optional(0, Row.text) { return SessionEvidence(text: text) }
        switch try row.text(1) {
        case "password": return .password
        case "code_recovery": return .recovery(nil)
        default: return SessionEvidence()
        }
    }

    /// The thumbprint of the key that a session was created with a proof of; `nil` without one.
    static func keyThumbprint(
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [UInt8]? {
        try transaction.rows("SELECT key_thumbprint FROM sessions WHERE id = $1", .identifier(session)).first?
            .optional(0, Row.blob)
    }
}
