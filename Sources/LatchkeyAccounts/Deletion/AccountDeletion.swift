import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// Deletes accounts at the request of their owners, and cancels the deletion when they log in again.
///
/// A deleted account has a time at which ``AccountErasure`` erases it. Its state does not change: an account that the
/// operator has disabled remains disabled, and only the operator can enable it.
package struct AccountDeletion: Sendable {
    private let notices: AccountNotices
    private let data: AccountData
    private let settings: AccountSettings
    private let audit: AuditLog

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - notices: Notifies the owner of the deletion and of its cancellation.
    ///   - data: The codes and flows of accounts, which a deletion ends.
    ///   - settings: The time until an account is erased.
    ///   - audit: The audit log, which creates the events.
    package init(notices: AccountNotices, data: AccountData, settings: AccountSettings, audit: AuditLog) {
        self.notices = notices
        self.data = data
        self.settings = settings
        self.audit = audit
    }

    /// Schedules the erasure of an account, revokes its sessions and certificates, invalidates its codes and
    /// ends its flows.
    ///
    /// Its tokens are invalid without their sessions. The known networks remain, so that no attacker can lock
    /// the owner out of the login that cancels the deletion.
    ///
    /// - Parameters:
    ///   - identity: The identity, loaded in the same transaction; the caller has locked its row.
    ///   - context: The request of the owner.
    ///   - transaction: The transaction that verified the privilege of the request.
    /// - Returns: The time from which the account is erased.
    /// - Throws: ``DatabaseError``, or an error if a notice cannot be encrypted.
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

    /// Cancels the deletion of an account whose owner has just logged in; has no effect on other accounts.
    ///
    /// A single conditional statement decides between a login and a concurrent erasure.
    ///
    /// - Parameters:
    ///   - id: The id of the account; the caller has locked its row, and verified that it is active.
    ///   - context: The request of the login or recovery.
    ///   - transaction: The transaction that opens the session.
    /// - Throws: ``DatabaseError``, or an error if a notice cannot be encrypted.
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
