import LatchkeyModel

/// The states of addresses; a proven address belongs to one identity, which a unique index enforces.
enum AddressStateRepository {
    static func find(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Traits.Address: AddressState] {
        var states: [Traits.Address: AddressState] = [:]
        let rows = try transaction.rows(
            "SELECT via, value, state FROM address_states WHERE identity_id = $1",
            .identifier(identity)
        )
        for row in rows {
            guard
                let via = TraitSchema.Channel(rawValue: try row.text(0)),
                let state = AddressState(rawValue: try row.text(2))
            else { throw DatabaseError(.mismatch, "An address has a state that this version does not know.") }
            states[Traits.Address(via: via, value: try row.text(1))] = state
        }
        return states
    }

    /// Whether an address is proven on an identity.
    static func isProven(
        _ address: Traits.Address,
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

    /// Saves changed states.
    ///
    /// - Throws: ``IdentityRepository/Duplicate`` if an address that becomes proven is proven on another identity.
    static func replace(
        _ old: [Traits.Address: AddressState],
        by new: [Traits.Address: AddressState],
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

    /// The identities that have an address in any role: more than one where only some schemas verify it.
    static func holders(
        of address: Traits.Address,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Identifier] {
        let rows = try transaction.rows(
            """
            SELECT identity_id FROM identifiers WHERE identifier = $1 \
            UNION SELECT identity_id FROM addresses WHERE kind IN ('verifiable', 'recovery') \
            AND via = $2 AND value = $1
            """,
            .text(address.value),
            .text(address.via.rawValue)
        )
        return try rows.map { row throws(DatabaseError) in try row.identifier(0) }
    }
}
