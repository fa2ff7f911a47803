import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

extension AuditLog {
    /// Writes a wrong password to the audit log, with the nil UUID if there is no account.
    ///
    /// Called only if no earlier password for the account from the same network was wrong within the last hour
    /// (``PasswordLimits/Attempt/isFirst``).
    func recordWrongPassword(
        of identity: Identifier?,
        tried identifier: String,
        in context: RequestContext,
        database: any Database
    ) async throws {
        let event = event(
            .loginFailed,
            of: identity ?? .nilUUID,
            in: context,
            about: hash(identifier),
            at: context.now
        )
        try await database.transaction { try AuditLog.append(event, in: $0) }
    }
}
