import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// Erases accounts, including every copy of their addresses in messages, flows and codes.
///
/// Rate limit counters are not deleted. The counters only contain keyed hashes and expire within a day. If we
/// deleted the counters, users could reset the limits by deleting their accounts and registering again.
package struct AccountErasure: Sendable {
    /// The data that other modules store about accounts.
    package let data: AccountData

    private let audit: AuditLog

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - data: The data that other modules store about accounts.
    ///   - audit: The audit log that creates the events.
    package init(data: AccountData, audit: AuditLog) {
        self.data = data
        self.audit = audit
    }

    /// Erases an identity, its data, and every row that contains one of its addresses.
    ///
    /// The account is deactivated first, which locks its row. Therefore, a concurrent login conflicts with
    /// the erasure and doesn't create a session.
    ///
    /// The caller must record the deletion in the audit log in the same transaction; see ``trace(of:)``.
    ///
    /// - Parameters:
    ///   - identity: The identity, loaded in the same transaction.
    ///   - now: The current time, which is stored as the completion time of flows that are still open.
    ///   - transaction: The database transaction that the rows are deleted in.
    /// - Returns: Whether the identity still existed.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func erase(
        _ identity: Identity,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard try IdentityRepository.close(identity.id, in: transaction) else { return false }
        // We exclude released addresses because they may be in use by other accounts.
        let addresses = identity.addresses
        try data.erase(identity.id, addresses: addresses, at: now, in: transaction)
        try MessageRepository.delete(about: identity.id, to: addresses.map(\.value), in: transaction)
        try IdentityRepository.delete(identity.id, in: transaction)
        return true
    }

    /// Erases deleted accounts after the configured delay has passed.
    ///
    /// Each account is erased in its own transaction.
    ///
    /// Several nodes can call this method at the same time, but each account is erased and recorded only
    /// once. If one account can't be read, the other accounts are still erased.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of accounts to erase.
    ///   - database: The database to delete from.
    /// - Returns: The number of accounts that this call erased. If the number equals `limit`, more accounts
    ///   may be due.
    /// - Throws: The first error that occurred, after trying to erase all accounts.
    package func eraseDeleted(
        at now: Timestamp,
        atMost limit: Int,
        in database: any Database
    ) async throws -> Int {
        let ids = try await IdentityRepository.deleted(before: now, atMost: limit, in: database)
        return try await Self.erase(ids, in: database) { id, transaction in
            try eraseDeleted(id, at: now, in: transaction)
        }
    }

    /// Erases each account in its own transaction.
    ///
    /// - Returns: The number of accounts for which `erase` returned `true`.
    /// - Throws: The first error that occurred, after trying to erase all accounts.
    private static func erase(
        _ ids: [Identifier],
        in database: any Database,
        by erase: @escaping @Sendable (Identifier, borrowing Transaction) throws -> Bool
    ) async throws -> Int {
        var erased = 0
        var failure: (any Error)?
        for id in ids {
            guard !Task.isCancelled else { break }
            do {
                if try await database.transaction({ try erase(id, $0) }) { erased += 1 }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return erased
    }

    /// Erases an account, unless its owner has logged in or another node has erased it in the meantime.
    private func eraseDeleted(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        guard
            try IdentityRepository.close(deleted: id, before: now, in: transaction),
            let identity = try IdentityRepository.load(id, in: transaction)
        else { return false }
        let event = audit.event(.deleted, of: id, by: .server, about: trace(of: identity), at: now)
        try erase(identity, at: now, in: transaction)
        try AuditLog.append(event, in: transaction)
        return true
    }

    /// Erases accounts that were never confirmed, have lost their last address and have no active session.
    ///
    /// No user can log in to such an account. Each account is erased in its own transaction. If one account
    /// can't be read, the other accounts are still erased.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of accounts to erase.
    ///   - database: The database to delete from.
    /// - Returns: The number of accounts that this call erased. If the number equals `limit`, there may be
    ///   more.
    /// - Throws: The first error that occurred, after trying to erase all accounts.
    package func eraseStranded(
        at now: Timestamp,
        atMost limit: Int,
        in database: any Database
    ) async throws -> Int {
        let ids = try await IdentityRepository.stranded(at: now, atMost: limit, in: database)
        return try await Self.erase(ids, in: database) { id, transaction in
            guard
                let identity = try IdentityRepository.load(id, in: transaction), identity.isStranded,
                try !SessionRepository.hasActiveSession(of: id, at: now, in: transaction)
            else { return false }
            let event = audit.event(.deleted, of: id, by: .server, about: trace(of: identity), at: now)
            try erase(identity, at: now, in: transaction)
            try AuditLog.append(event, in: transaction)
            return true
        }
    }

    /// How long an account of a sign-up by link stays after the link has expired unused.
    package static let unconfirmedRetention = Duration.seconds(7 * 86_400)

    /// Erases accounts of sign-ups by link whose links have expired unused some time ago.
    ///
    /// An account with a proven address is kept, because its user has confirmed the link and can log in. An account
    /// that the operator has disabled is kept, too.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of accounts to erase.
    ///   - database: The database to delete from.
    /// - Returns: The number of accounts that this call erased or kept. If the number equals `limit`, there may be
    ///   more.
    /// - Throws: The first error that occurred, after trying to erase all accounts.
    package func eraseLapsed(
        at now: Timestamp,
        atMost limit: Int,
        in database: any Database
    ) async throws -> Int {
        let ids = try await IdentityRepository.lapsed(at: now, atMost: limit, in: database)
        return try await Self.erase(ids, in: database) { id, transaction in
            // The lock conflicts with a login and with the confirmation of the link.
            let isActive = try IdentityRepository.confirm(id, in: transaction)
            guard let identity = try IdentityRepository.load(id, in: transaction) else { return false }
            guard isActive, identity.provenAddresses.isEmpty else {
                try IdentityRepository.keepLapsed(id, in: transaction)
                return true
            }
            guard try IdentityRepository.close(lapsed: id, at: now, in: transaction) else { return false }
            let event = audit.event(.deleted, of: id, by: .server, about: trace(of: identity), at: now)
            try erase(identity, at: now, in: transaction)
            try AuditLog.append(event, in: transaction)
            return true
        }
    }

    /// Returns keyed hashes of an identity's identifiers for the audit log.
    ///
    /// The result is the subject of the event that records the deletion, so an operator who knows an
    /// identifier can find that event. The text consists of `identifiers:` followed by the hashes, separated
    /// by commas.
    package func trace(of identity: Identity) -> String {
        let hashes = identity.identifiers.map { audit.hash($0) }
        return "identifiers:" + hashes.joined(separator: ",")
    }
}
