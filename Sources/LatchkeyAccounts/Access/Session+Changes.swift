package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

extension Session {
    /// Locks the identity and then the session, so that a change conflicts with a concurrent request that
    /// disables the account or ends the session.
    ///
    /// All transactions lock the two rows in this order.
    ///
    /// - Returns: `false` if the account was disabled or the session has ended.
    /// - Throws: ``DatabaseError``.
    package func hold(at now: Timestamp, in transaction: borrowing Transaction) throws(DatabaseError) -> Bool
    {
        guard try IdentityRepository.confirm(identityID, in: transaction) else { return false }
        return try SessionRepository.hold(id, of: identityID, at: now, in: transaction)
    }
}

extension AuthenticatedSession {
    /// Makes a change on behalf of the session, in one transaction that first locks the identity and then the
    /// session.
    ///
    /// If `body` throws an error, the transaction is rolled back.
    ///
    /// - Throws: A ``ServerError`` with status 401 if the session has ended, or any error thrown by `body`.
    package func change<Outcome: Sendable>(
        in database: any Database,
        at now: Timestamp,
        refusal id: ErrorID? = .sessionInactive,
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await database.transaction { [session] transaction in
            guard try session.hold(at: now, in: transaction) else {
                throw ServerError(401, id: id, reason: "The session has ended.")
            }
            return try body(transaction)
        }
    }
}
