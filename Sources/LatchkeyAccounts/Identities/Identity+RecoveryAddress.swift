package import LatchkeyModel
import LatchkeyServerKit

extension Identity {
    /// An address to which recovery codes of the account can be sent.
    package struct RecoveryAddress: Hashable, Sendable {
        package let id: Identifier
        package let address: Traits.Address
        package let createdAt: Timestamp
        package let updatedAt: Timestamp

        /// Creates a recovery address with a random id.
        init(_ address: Traits.Address, at now: Timestamp, random: some RandomSource) {
            id = Identifier(random: random)
            self.address = address
            createdAt = now
            updatedAt = now
        }

        /// Reads an address from the columns that ``IdentityRepository/load(_:in:)`` selects.
        init(row: Row) throws(DatabaseError) {
            id = try row.identifier(0)
            address = try Traits.Address(row: row)
            createdAt = try row.time(6)
            updatedAt = try row.time(7)
        }
    }
}
