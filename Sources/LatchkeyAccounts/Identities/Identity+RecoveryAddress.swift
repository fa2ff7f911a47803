package import LatchkeyModel
import LatchkeyServerKit

extension Identity {
    /// An address to which recovery codes for the account can be sent.
    package struct RecoveryAddress: Hashable, Sendable {
        /// The id of the address, which remains the same as long as the traits contain the address.
        package let id: Identifier
        /// The channel and the normalized value of the address.
        package let address: ContactAddress
        /// The time at which the address was added to the traits.
        package let createdAt: Timestamp
        /// The time at which the row was last changed.
        package let updatedAt: Timestamp

        /// Creates a recovery address with a random id.
        init(_ address: ContactAddress, at now: Timestamp, random: some RandomSource) {
            id = Identifier(random: random)
            self.address = address
            createdAt = now
            updatedAt = now
        }

        /// Reads an address from the columns that ``AddressRow/find(of:in:)`` selects.
        init(row: Row) throws(DatabaseError) {
            id = try row.identifier(0)
            address = try ContactAddress(row: row)
            createdAt = try row.time(4)
            updatedAt = try row.time(7)
        }
    }
}
