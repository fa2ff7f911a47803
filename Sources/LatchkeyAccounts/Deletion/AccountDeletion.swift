import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// Deletes accounts at their owners' request, and cancels the deletion if the owner logs in again.
///
/// A deleted account isn't erased right away. Instead, we store the time at which ``AccountErasure`` erases
/// it. The account's state doesn't change, so an account that an operator has disabled stays disabled until
/// an operator enables it again.
package struct AccountDeletion: Sendable {
    private let notices: AccountNotices
    private let data: AccountData
    private let settings: AccountSettings
    private let audit: AuditLog

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - notices: Notifies the owner when the deletion is scheduled or cancelled.
    ///   - data: The data that other modules store about accounts, such as codes and flows.
    ///   - settings: The account settings, including the delay before a deleted account is erased.
    ///   - audit: The audit log that creates the events.
    package init(notices: AccountNotices, data: AccountData, settings: AccountSettings, audit: AuditLog) {
        self.notices = notices
        self.data = data
        self.settings = settings
        self.audit = audit
    }

    /// Schedules an account for erasure.
    ///
    /// The account's sessions and certificates are revoked, its codes are invalidated, and its flows are
    /// completed. The account's tokens stop working because their sessions are revoked. We keep the known
    /// networks so that an attacker can't prevent the owner from logging in to cancel the deletion.
    ///
    /// - Parameters:
    ///   - identity: The identity, loaded in the same transaction. The caller has locked the identity's row.
    ///   - context: The owner's request to delete the account.
    ///   - transaction: The database transaction in which the caller checked that the user may delete the
    ///     account.
    /// - Returns: The time at which the account is due to be erased.
    /// - Throws: ``DatabaseError``, or another error if a notice can't be encrypted.
    func schedule(
        _ identity: Identity,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> Timestamp {
        let (id, now) = (identity.id, context.now)
        let end = now + settings.deletionDelay
        try IdentityRepository.save(identity.with(deletionAt: end), replacing: identity, in: transaction)
        try SessionRepository.revokeAll(of: id, at: now, in: transaction)
        try CertificateRepository.revokeAll(of: id, at: now, in: transaction)
        try data.endFlows(of: id, at: now, in: transaction)
        try data.endGrants(of: id, at: now, in: transaction)
        try AuditLog.append(audit.event(.deletionScheduled, of: id, in: context, at: now), in: transaction)
        try notices.send(
            .deletionScheduled,
            to: identity,
            lifespan: settings.deletionDelay,
            for: context,
            in: transaction
        )
        return end
    }

    /// Cancels the deletion of an account because its owner has just logged in.
    ///
    /// This method has no effect if the account wasn't deleted. If the account is being erased at the same
    /// time, a single conditional statement decides which of the two succeeds.
    ///
    /// - Parameters:
    ///   - id: The account's id. The caller has locked the account's row and checked that the account is
    ///     active.
    ///   - context: The HTTP request that started the login or recovery.
    ///   - transaction: The database transaction that creates the session.
    /// - Throws: ``DatabaseError``, or another error if a notice can't be encrypted.
    package func cancel(
        _ id: Identifier,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        guard
            try IdentityRepository.cancelDeletion(of: id, in: transaction),
            let identity = try IdentityRepository.load(id, in: transaction)
        else { return }
        let event = audit.event(.deletionCancelled, of: id, in: context, at: context.now)
        try AuditLog.append(event, in: transaction)
        try notices.send(.deletionCancelled, to: identity, for: context, in: transaction)
    }
}
