package import LatchkeyModel
package import LatchkeyServerKit

extension SessionRepository {
    /// Returns the evidence that is stored for a session.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The stored evidence, or empty evidence if the session is unknown. For sessions that were
    ///   created by an earlier version of the server, the evidence is derived from the method.
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

    /// Returns the thumbprint of the key in the proof of possession that the session was created with.
    ///
    /// The result is `nil` if there was no proof or the session is unknown.
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
