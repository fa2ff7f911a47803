package import LatchkeyModel
package import LatchkeyServerKit

extension SessionRepository {
    /// Returns the evidence that the user of a session has given.
    ///
    /// - Parameters:
    ///   - session: The id of the session.
    ///   - transaction: The transaction to read in.
    /// - Returns: The stored evidence; for a session of an earlier version, the evidence implied by its
    ///   method; empty if there is no such session.
    /// - Throws: ``DatabaseError``.
    package static func evidence(
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> SessionEvidence {
        let rows = try transaction.rows(
            "SELECT evidence, method FROM sessions WHERE id = $1",
            .identifier(session)
        )
        guard let row = rows.first else { return SessionEvidence() }
        if let text = try row.optional(0, as: Row.text) { return SessionEvidence(text: text) }
        switch AuthenticationMethod(rawValue: try row.text(1)) {
        case .password: return .password
        case .codeRecovery: return .recovery(nil)
        case .code, nil: return SessionEvidence()
        }
    }

    /// Returns the thumbprint of the key whose possession was proved when a session was opened; `nil` without
    /// a proof.
    ///
    /// It is `nil` for an unknown session as well.
    ///
    /// - Throws: ``DatabaseError``.
    static func keyThumbprint(
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [UInt8]? {
        try transaction.rows("SELECT key_thumbprint FROM sessions WHERE id = $1", .identifier(session)).first?
            .optional(0, as: Row.blob)
    }
}
