package import LatchkeyModel

extension Identity {
    /// An address that helps to get back into the account.
    package struct RecoveryAddress: Hashable, Sendable {
        package let id: Identifier
        package let address: Traits.Address
        package let createdAt: Timestamp
        package let updatedAt: Timestamp

        init(_ address: Traits.Address, at now: Timestamp, random: some RandomSource) {
            id = Identifier(random: random)
            self.address = address
            createdAt = now
            updatedAt = now
        }

        /// Reads one from the columns of ``IdentityRepository/load(_:in:)``.
        init(row: Row) throws(DatabaseError) {
            id = try row.identifier(0)
            address = try Traits.Address(row: row)
            createdAt = try row.time(6)
            updatedAt = try row.time(7)
        }
    }
}
