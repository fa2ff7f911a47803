import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit

extension Identity {
    /// An address that can be verified with a code.
    package struct VerifiableAddress: Hashable, Sendable {
        /// The progress of a verification, with Kratos's names.
        ///
        /// The status is `pending` before the first code, `sent` after a code was sent, and `completed` after
        /// the code was entered.
        package enum Status: String, Sendable {
            case pending, sent, completed
        }

        /// The id of the address, which remains the same as long as the traits contain the address.
        package let id: Identifier
        /// The channel and the normalized value of the address.
        package let address: ContactAddress
        /// The progress of the verification; `completed` for a verified address.
        package private(set) var status: Status
        /// The time of the first verification; `nil` if the address is not verified.
        package private(set) var verifiedAt: Timestamp?
        /// The time at which the address was added to the traits.
        package let createdAt: Timestamp
        /// The time of the last change of the status.
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

        /// Reads an address from the columns that ``AddressRow/find(of:in:)`` selects; an unknown status is
        /// read as pending.
        init(row: Row) throws(DatabaseError) {
            id = try row.identifier(0)
            address = try ContactAddress(row: row)
            createdAt = try row.time(4)
            status = Status(rawValue: try row.text(5)) ?? .pending
            verifiedAt = try row.optional(6, as: Row.time)
            updatedAt = try row.time(7)
        }

        /// Returns the address as verified at the given time.
        func verified(at now: Timestamp) -> VerifiableAddress {
            var changed = marked(.completed, at: now)
            changed.verifiedAt = now
            return changed
        }

        /// Returns the address as unverified, with the status `pending`.
        func unverified(at now: Timestamp) -> VerifiableAddress {
            var changed = marked(.pending, at: now)
            changed.verifiedAt = nil
            return changed
        }

        /// Returns the address with a new status, but with the same time of verification.
        func marked(_ status: Status, at now: Timestamp) -> VerifiableAddress {
            var changed = self
            changed.status = status
            changed.updatedAt = now
            return changed
        }
    }
}

extension ContactAddress {
    /// Reads an address from the columns `via` and `value` that ``AddressRow/find(of:in:)`` selects.
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
