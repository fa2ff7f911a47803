import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit

extension Identity {
    /// An address that can be verified with a code.
    package struct VerifiableAddress: Hashable, Sendable {
        /// The state of a verification, as named by Kratos.
        ///
        /// The status is `pending` at first, `sent` once a code has been sent, and `completed` once the code
        /// has been entered.
        package enum Status: String, Sendable {
            case pending, sent, completed
        }

        /// The address's id, which stays the same as long as the address is in the traits.
        package let id: Identifier
        /// The channel and normalized value of the address.
        package let address: ContactAddress
        /// The verification status, which is `completed` if the address is verified.
        package private(set) var status: Status
        /// When the address was first verified, or `nil` if it isn't verified.
        package private(set) var verifiedAt: Timestamp?
        /// When the address was added to the traits.
        package let createdAt: Timestamp
        /// When the status last changed.
        package private(set) var updatedAt: Timestamp

        /// Whether the address has been verified.
        package var isVerified: Bool { verifiedAt != nil }

        /// Creates an unverified address with a random id.
        init(_ address: ContactAddress, at now: Timestamp, random: some RandomSource) {
            id = Identifier(random: random)
            self.address = address
            status = .pending
            verifiedAt = nil
            createdAt = now
            updatedAt = now
        }

        /// Reads an address from the columns selected by ``AddressRow/find(of:in:)``.
        ///
        /// An unknown status is read as pending.
        init(row: Row) throws(DatabaseError) {
            id = try row.identifier(0)
            address = try ContactAddress(row: row)
            createdAt = try row.time(4)
            status = Status(rawValue: try row.text(5)) ?? .pending
            verifiedAt = try row.optional(6, as: Row.time)
            updatedAt = try row.time(7)
        }

        /// Returns the address, marked as verified at the given time, or at the time of the change.
        func verified(since date: Timestamp? = nil, at now: Timestamp) -> VerifiableAddress {
            var changed = marked(.completed, at: now)
            changed.verifiedAt = date ?? now
            return changed
        }

        /// Returns a copy of the address that is not verified and has the status `pending`.
        func unverified(at now: Timestamp) -> VerifiableAddress {
            var changed = marked(.pending, at: now)
            changed.verifiedAt = nil
            return changed
        }

        /// Returns the address with a new status.
        ///
        /// The verification date doesn't change.
        func marked(_ status: Status, at now: Timestamp) -> VerifiableAddress {
            var changed = self
            changed.status = status
            changed.updatedAt = now
            return changed
        }
    }
}

extension ContactAddress {
    /// Reads an address from the `via` and `value` columns selected by ``AddressRow/find(of:in:)``.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` if the channel is unknown.
    init(row: Row) throws(DatabaseError) {
        guard let via = Message.Channel(rawValue: try row.text(2)) else {
            throw DatabaseError(
                .mismatch,
                message: "An address has a channel that is unknown to this version."
            )
        }
        self.init(via: via, value: try row.text(3))
    }
}
