import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// Stores the ownership states of addresses.
///
/// A unique index ensures that an address is proven on only one identity.
package enum AddressStateRepository {
    /// The columns that ``state(in:at:)`` reads.
    ///
    /// Queries must use the table alias `a`.
    static let columns: SQL = "a.via, a.value, a.state"

    private static let byIdentity: SQL = "SELECT \(columns) FROM address_states a WHERE a.identity_id = $1"

    /// Returns the states of an identity's addresses, except for addresses that are only claimed.
    ///
    /// - Parameters:
    ///   - identity: The identity's id.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The states, keyed by address.
    /// - Throws: ``DatabaseError``, for example if a newer version of the server has stored a state that this
    ///   version doesn't know.
    static func find(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [ContactAddress: AddressState] {
        var states: [ContactAddress: AddressState] = [:]
        let rows = try transaction.rows(byIdentity, .identifier(identity))
        for row in rows {
            let (address, state) = try state(in: row, at: 0)
            states[address] = state
        }
        return states
    }

    /// Reads ``columns``, the first one of which has the given position.
    ///
    /// - Throws: ``DatabaseError``, for example if a newer version of the server has stored a state that this
    ///   version doesn't know.
    static func state(
        in row: Row,
        at offset: Int
    ) throws(DatabaseError) -> (address: ContactAddress, state: AddressState) {
        guard
            let via = Message.Channel(rawValue: try row.text(offset)),
            let state = AddressState(rawValue: try row.text(offset + 2))
        else {
            throw DatabaseError(.mismatch, message: "An address has a state that is unknown to this version.")
        }
        return (ContactAddress(via: via, value: try row.text(offset + 1)), state)
    }

    /// Returns whether an address is proven on the given identity.
    ///
    /// - Throws: ``DatabaseError``.
    package static func isProven(
        _ address: ContactAddress,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            """
            SELECT 1 FROM address_states WHERE identity_id = $1 AND via = $2 AND value = $3 AND state = 'proven'
            """,
            .identifier(identity),
            .text(address.via.rawValue),
            .text(address.value)
        ).isEmpty
    }

    /// Saves the differences between the old and the new states of an identity's addresses.
    ///
    /// - Parameters:
    ///   - old: The stored states.
    ///   - new: The states to store.
    ///   - identity: The identity's id.
    ///   - transaction: The database transaction that the states are written in. The caller must roll back
    ///     the transaction if this method throws.
    /// - Throws: ``IdentityRepository/Duplicate`` if one of the newly proven addresses is already proven on
    ///   another identity. ``DatabaseError``.
    static func replace(
        _ old: [ContactAddress: AddressState],
        by new: [ContactAddress: AddressState],
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws {
        for (address, state) in old where new[address] != state {
            try transaction.execute(
                "DELETE FROM address_states WHERE identity_id = $1 AND via = $2 AND value = $3",
                .identifier(identity),
                .text(address.via.rawValue),
                .text(address.value)
            )
        }
        for (address, state) in new where old[address] != state {
            let inserted = try transaction.execute(
                """
                INSERT INTO address_states (identity_id, via, value, state) VALUES ($1, $2, $3, $4) \
                ON CONFLICT DO NOTHING
                """,
                .identifier(identity),
                .text(address.via.rawValue),
                .text(address.value),
                .text(state.rawValue)
            )
            guard inserted == 1 else { throw IdentityRepository.Duplicate() }
        }
    }

    /// Returns how other accounts use an address.
    ///
    /// - Parameters:
    ///   - address: The normalized address.
    ///   - identity: An account that is ignored, or `nil` to consider all accounts.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The strongest use by any of the other accounts.
    /// - Throws: ``DatabaseError``.
    package static func use(
        of address: ContactAddress,
        byOthersThan identity: Identifier? = nil,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> AddressUse {
        var use = AddressUse.free
        for holder in try holders(of: address, in: transaction) where holder != identity {
            if try isProven(address, of: holder, in: transaction) { return .proven }
            use = .claimed
        }
        return use
    }

    /// Returns the identities that use an address for login, verification or recovery, in no particular
    /// order.
    ///
    /// Several identities can have the same address if only some schemas require it to be verified.
    ///
    /// - Throws: ``DatabaseError``.
    package static func holders(
        of address: ContactAddress,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Identifier] {
        let rows = try transaction.rows(
            """
            SELECT identity_id FROM identifiers WHERE identifier = $1 \
            UNION ALL SELECT identity_id FROM addresses WHERE kind = 'verifiable' AND via = $2 AND value = $1 \
            UNION ALL SELECT identity_id FROM addresses WHERE kind = 'recovery' AND via = $2 AND value = $1
            """,
            .text(address.value),
            .text(address.via.rawValue)
        )
        // There are at most a few rows. For UNION and IN, SQLite would build temporary indexes.
        var holders: [Identifier] = []
        for row in rows {
            let id = try row.identifier(0)
            if !holders.contains(id) { holders.append(id) }
        }
        return holders
    }
}
