package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    private static let byIDForChange: SQL = "SELECT \(IdentityColumns.names) FROM identities WHERE id = $1"

    private static let insertion: SQL = """
        INSERT INTO identities (\(IdentityColumns.names), id) VALUES (\(IdentityColumns.parameters), $15) \
        ON CONFLICT DO NOTHING
        """

    private static let replacement: SQL = """
        UPDATE identities SET (\(IdentityColumns.names)) = (\(IdentityColumns.parameters)) \
        WHERE id = $15 AND version = $16
        """

    /// Loads an identity with its identifiers, addresses and address states, which the caller can change and
    /// save in the same transaction.
    ///
    /// The identity is not locked. ``save(_:replacing:in:)`` detects a concurrent change.
    ///
    /// - Parameters:
    ///   - id: The id of the identity.
    ///   - transaction: The transaction to read in.
    /// - Returns: The identity, or `nil` if there is none with this id.
    /// - Throws: ``DatabaseError``, with the code `mismatch` if this version cannot read a row.
    package static func load(
        _ id: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identity? {
        let rows = try transaction.rows(byIDForChange, .identifier(id))
        guard let row = rows.first else { return nil }
        let columns = try IdentityColumns(row: row)
        let identifiers = try transaction.rows(
            "SELECT identifier FROM identifiers WHERE identity_id = $1",
            .identifier(id)
        )
        let (verifiable, recovery) = try AddressRow.find(of: id, in: transaction)
        return Identity(
            id: id,
            columns,
            identifiers: try identifiers.map { row throws(DatabaseError) in try row.text(0) },
            verifiable: verifiable,
            recovery: recovery,
            addressStates: try AddressStateRepository.find(of: id, in: transaction)
        )
    }

    /// Stores a new identity with its identifiers, addresses, address states and password.
    ///
    /// If several registrations use the same identifier or address concurrently, unique keys let only one
    /// succeed.
    ///
    /// - Parameters:
    ///   - identity: The identity, which must not have been stored before.
    ///   - passwordHash: The PHC string of the password; `nil` for an identity without a password.
    ///   - transaction: The transaction that inserts the rows, which the caller must roll back if this method
    ///     throws.
    /// - Throws: ``Duplicate`` if another account already has one of the identifiers or addresses, or the
    ///   external id; ``DatabaseError``.
    package static func insert(
        _ identity: Identity,
        passwordHash: String?,
        in transaction: borrowing Transaction
    ) throws {
        let inserted = try transaction.execute(
            insertion,
            values: IdentityColumns.values(of: identity, version: identity.version) + [
                .identifier(identity.id)
            ]
        )
        guard inserted == 1 else { throw Duplicate() }
        try insert(identity.identifiers, of: identity.id, in: transaction)
        for row in AddressRow.all(of: identity) { try row.insert(of: identity.id, in: transaction) }
        try AddressStateRepository.replace([:], by: identity.addressStates, of: identity.id, in: transaction)
        guard let passwordHash else { return }
        try setPassword(passwordHash, of: identity.id, at: identity.createdAt, in: transaction)
    }

    /// Loads an identity, applies a change to its current value, and saves the result.
    ///
    /// The closure may run again together with its transaction, so it must have no side effects.
    ///
    /// - Parameters:
    ///   - id: The id of the identity.
    ///   - transaction: The transaction to read and write in.
    ///   - change: Returns the changed identity.
    /// - Returns: The changed identity; `nil` if there is no identity with this id.
    /// - Throws: The errors of ``save(_:replacing:in:)`` and of `change`.
    package static func change(
        _ id: Identifier,
        in transaction: borrowing Transaction,
        by change: (Identity) throws -> Identity
    ) throws -> Identity? {
        guard let old = try load(id, in: transaction) else { return nil }
        let new = try change(old)
        try save(new, replacing: old, in: transaction)
        return new
    }

    /// Saves a changed identity in place of the value on which the change was based.
    ///
    /// If another transaction has changed the identity, the method throws an error for which the database
    /// restarts the transaction, including the read.
    ///
    /// If the account is deactivated, a no-op update also locks the row of its password, so a concurrent
    /// write to the password conflicts. The caller must revoke the sessions.
    ///
    /// Unchanged identifiers, addresses and states are not written. The stored version increases even if no
    /// value has changed.
    ///
    /// - Parameters:
    ///   - new: The identity to store.
    ///   - old: The stored identity, read in the same transaction.
    ///   - transaction: The transaction to write in.
    /// - Throws: ``Duplicate`` if another account already has one of the identifiers or addresses, or the
    ///   external id; ``DatabaseError/Code/unavailable`` if the stored version differs from that of `old`.
    package static func save(
        _ new: Identity,
        replacing old: Identity,
        in transaction: borrowing Transaction
    ) throws {
        guard try update(new, replacing: old, in: transaction) else {
            throw DatabaseError(.unavailable, message: "Concurrent requests keep changing the same identity.")
        }
        if old.state == .active, new.state == .inactive {
            try transaction.execute(
                "UPDATE passwords SET hash = hash WHERE identity_id = $1",
                .identifier(new.id)
            )
        }
        for identifier in old.identifiers where !new.identifiers.contains(identifier) {
            try transaction.execute(
                "DELETE FROM identifiers WHERE identifier = $1 AND identity_id = $2",
                .text(identifier),
                .identifier(new.id)
            )
        }
        try insert(new.identifiers.filter { !old.identifiers.contains($0) }, of: new.id, in: transaction)
        let before = AddressRow.all(of: old)
        let after = AddressRow.all(of: new)
        for row in before where !after.contains(where: { $0.id == row.id }) {
            try row.delete(in: transaction)
        }
        for row in after where !before.contains(row) {
            if before.contains(where: { $0.id == row.id }) {
                try row.update(in: transaction)
            } else {
                try row.insert(of: new.id, in: transaction)
            }
        }
        try AddressStateRepository.replace(
            old.addressStates,
            by: new.addressStates,
            of: new.id,
            in: transaction
        )
        // Sessions show the rendered identity, so other changes are of no interest to their devices.
        if new.record.body != old.record.body { try transaction.publish(.identity(new.id)) }
    }

    /// Updates the row of an identity if its version has not changed, and returns whether it was updated.
    private static func update(
        _ new: Identity,
        replacing old: Identity,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        do throws(DatabaseError) {
            return try transaction.execute(
                replacement,
                values: IdentityColumns.values(of: new, version: old.version + 1) + [
                    .identifier(old.id), .integer(old.version),
                ]
            ) == 1
        } catch {
            guard error.code == .conflict else { throw error }
            throw Duplicate()
        }
    }

    /// Inserts login identifiers, each of which can belong to only one account.
    ///
    /// - Throws: ``Duplicate`` for the first identifier that is taken, after which the caller must roll back
    ///   the transaction.
    private static func insert(
        _ identifiers: [String],
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws {
        for identifier in identifiers {
            let inserted = try transaction.execute(
                "INSERT INTO identifiers (identifier, identity_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                .text(identifier),
                .identifier(identity)
            )
            guard inserted == 1 else { throw Duplicate() }
        }
    }
}
