package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    private static let byIDForChange: SQL = "SELECT \(IdentityColumns.names) FROM identities WHERE id = $1"

    private static let insertion: SQL = """
        INSERT INTO identities (\(IdentityColumns.names), id) VALUES (\(IdentityColumns.parameters), $16) \
        ON CONFLICT DO NOTHING
        """

    private static let replacement: SQL = """
        UPDATE identities SET (\(IdentityColumns.names)) = (\(IdentityColumns.parameters)) \
        WHERE id = $16 AND version = $17
        """

    /// Loads an identity with its identifiers, addresses and address states, so that the caller can change it
    /// and save it in the same transaction.
    ///
    /// The identity isn't locked, but ``save(_:replacing:in:)`` detects whether another transaction has
    /// changed the identity in the meantime.
    ///
    /// - Parameters:
    ///   - id: The identity's id.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The identity, or `nil` if no identity has this id.
    /// - Throws: ``DatabaseError``, with the code `mismatch` if this version of the server can't read a row.
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
    /// If several registrations use the same identifier or address at the same time, unique keys ensure that
    /// only one of them succeeds.
    ///
    /// - Parameters:
    ///   - identity: The identity, which must not have been stored before.
    ///   - passwordHash: The password hash as a PHC string, or `nil` if the identity has no password.
    ///   - transaction: The database transaction that the rows are written in. The caller must roll back the
    ///     transaction if this method throws.
    /// - Throws: ``Duplicate`` if another account already has one of the identifiers or addresses, or the
    ///   external id. ``DatabaseError``.
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

    /// Loads an identity, changes it with a closure, and saves the result.
    ///
    /// The closure must not have side effects because it may run more than once when the transaction is
    /// repeated.
    ///
    /// - Parameters:
    ///   - id: The identity's id.
    ///   - transaction: The database transaction to read and write in.
    ///   - change: Returns the changed identity.
    /// - Returns: The changed identity, or `nil` if there is no identity with this id.
    /// - Throws: Any error thrown by ``save(_:replacing:in:)`` or by `change`.
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

    /// Saves a changed identity, replacing the value that the change was based on.
    ///
    /// If another transaction has changed the identity in the meantime, this method throws an error that
    /// makes the database repeat the whole transaction, including the read.
    ///
    /// When an account is deactivated, we also lock the row of its password with an update that doesn't
    /// change anything, so it conflicts with a concurrent password change. The caller must revoke the
    /// sessions.
    ///
    /// Identifiers, addresses and address states that haven't changed aren't written. The stored version is
    /// incremented even if there are no changes.
    ///
    /// - Parameters:
    ///   - new: The identity to store.
    ///   - old: The identity as it is currently stored. It must be read in the same transaction.
    ///   - transaction: The database transaction that the changes are written in.
    /// - Throws: ``Duplicate`` if another account already has one of the identifiers or addresses, or the
    ///   external id. ``DatabaseError/Code/overloaded`` if the stored version differs from that of `old`.
    package static func save(
        _ new: Identity,
        replacing old: Identity,
        in transaction: borrowing Transaction
    ) throws {
        guard try update(new, replacing: old, in: transaction) else {
            throw DatabaseError(.overloaded, message: "Concurrent requests keep changing the same identity.")
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
        // Sessions only contain the rendered identity, so their devices don't need to know about other
        // changes.
        if new.record.body != old.record.body { try transaction.publish(.identity(new.id)) }
    }

    /// Updates an identity's row if the version hasn't changed, and returns whether the row was updated.
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
    /// - Throws: ``Duplicate`` if an identifier is already taken. The caller must roll back the transaction
    ///   in this case.
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
