import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// Erases accounts, including every copy of their addresses in messages, flows and codes.
///
/// The counts for rate limits contain only keyed hashes and expire within a day. They are not deleted;
/// otherwise, deleting and re-registering an account would reset the limits.
package struct AccountErasure: Sendable {
    /// The data about accounts that other modules store.
    package let data: AccountData

    private let audit: AuditLog

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - data: The data about accounts that other modules store.
    ///   - audit: The audit log, which creates the events.
    package init(data: AccountData, audit: AuditLog) {
        self.data = data
        self.audit = audit
    }

    /// Erases an identity, the rows that belong to it, and the rows that contain one of its addresses.
    ///
    /// The account is deactivated first, which locks its row: a concurrent login conflicts and opens no
    /// session.
    ///
    /// The caller must record the deletion in the audit log in the same transaction; see ``trace(of:)``.
    ///
    /// - Parameters:
    ///   - identity: The identity, loaded in the same transaction; its addresses determine which rows are
    ///     erased.
    ///   - now: The current time, which is stored as the completion time of flows that are still open.
    ///   - transaction: The transaction to delete in.
    /// - Returns: Whether the identity still existed.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func erase(
        _ identity: Identity,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard try IdentityRepository.close(identity.id, in: transaction) else { return false }
        // Released addresses are excluded, because they now belong to other accounts or to no account.
        let addresses = identity.addresses
        try data.erase(identity.id, addresses: addresses, at: now, in: transaction)
        try MessageRepository.delete(about: identity.id, to: addresses.map(\.value), in: transaction)
        try IdentityRepository.delete(identity.id, in: transaction)
        return true
    }

    /// Erases the accounts whose owners have deleted them and whose delay has passed, each in its own
    /// transaction.
    ///
    /// Any number of nodes can call it at the same time: each account is erased, and recorded, once. An
    /// account whose rows cannot be read does not prevent the erasure of others.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of accounts to erase.
    ///   - database: The database.
    /// - Returns: The number of accounts that this call erased; if it equals `limit`, there may be more.
    /// - Throws: The first error, after all accounts have been tried.
    package func eraseDeleted(
        at now: Timestamp,
        atMost limit: Int,
        in database: any Database
    ) async throws -> Int {
        var erased = 0
        var failure: (any Error)?
        for id in try await IdentityRepository.deleted(before: now, atMost: limit, in: database) {
            guard !Task.isCancelled else { break }
            do {
                let isErased = try await database.transaction { transaction in
                    try eraseDeleted(id, at: now, in: transaction)
                }
                if isErased { erased += 1 }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return erased
    }

    /// Erases an account unless its owner has logged in or another node has erased it in the meantime.
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

    /// Returns keyed hashes of the identifiers for the audit log, so an operator who knows an identifier can
    /// find the event that records the deletion of its account.
    ///
    /// The result is the subject of this event: `identifiers:` and the hashes, separated by commas.
    package func trace(of identity: Identity) -> String {
        let hashes = identity.identifiers.map { audit.hash($0) }
        return "identifiers:" + hashes.joined(separator: ",")
    }
}
