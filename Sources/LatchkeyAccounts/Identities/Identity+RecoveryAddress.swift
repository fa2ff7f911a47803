package import LatchkeyModel
import LatchkeyServerKit

extension Identity {
    /// An address that recovery codes can be sent to.
    package struct RecoveryAddress: Hashable, Sendable {
        /// The address's id, which stays the same as long as the address is in the traits.
        package let id: Identifier
        /// The channel and normalized value of the address.
        package let address: ContactAddress
        /// When the address was added to the traits.
        package let createdAt: Timestamp
        /// When the address was last changed.
        package let updatedAt: Timestamp

        /// Creates a recovery address with a random id.
        init(_ address: ContactAddress, at now: Timestamp, random: some RandomSource) {
            id = Identifier(random: random)
            self.address = address
            createdAt = now
            updatedAt = now
        }

        /// Reads an address from the columns selected by ``AddressRow/find(of:in:)``.
        init(row: Row) throws(DatabaseError) {
            id = try row.identifier(0)
            address = try ContactAddress(row: row)
            createdAt = try row.time(4)
            updatedAt = try row.time(7)
        }
    }
}
