package import LatchkeyModel

extension Identity {
    /// An address that can be verified.
    package struct VerifiableAddress: Hashable, Sendable {
        /// How far the verification has come, as Kratos names it.
        package enum Status: String, Sendable {
            case pending, sent, completed
        }

        package let id: Identifier
        package let address: Traits.Address
        package private(set) var status: Status
        package private(set) var verifiedAt: Timestamp?
        package let createdAt: Timestamp
        package private(set) var updatedAt: Timestamp

        /// Whether control of it has been proved.
        package var isVerified: Bool { verifiedAt != nil }

        /// Makes one that waits to be verified.
        init(_ address: Traits.Address, at now: Timestamp, random: some RandomSource) {
            id = Identifier(random: random)
            self.address = address
            status = .pending
            verifiedAt = nil
            createdAt = now
            updatedAt = now
        }

        /// Reads one from the columns of ``IdentityRepository/load(_:in:)``.
        init(row: Row) throws(DatabaseError) {
            id = try row.identifier(0)
            address = try Traits.Address(row: row)
            status = Status(rawValue: try row.text(4)) ?? .pending
            verifiedAt = try row.optional(5, Row.time)
            createdAt = try row.time(6)
            updatedAt = try row.time(7)
        }

        func verified(at now: Timestamp) -> VerifiableAddress {
            var changed = marked(.completed, at: now)
            changed.verifiedAt = now
            return changed
        }

        func unverified(at now: Timestamp) -> VerifiableAddress {
            var changed = marked(.pending, at: now)
            changed.verifiedAt = nil
            return changed
        }

        func marked(_ status: Status, at now: Timestamp) -> VerifiableAddress {
            var changed = self
            changed.status = status
            changed.updatedAt = now
            return changed
        }
    }
}

extension Traits.Address {
    /// Reads an address from the columns of ``IdentityRepository/load(_:in:)``.
    init(row: Row) throws(DatabaseError) {
        guard let via = TraitSchema.Channel(rawValue: try row.text(2)) else {
            throw DatabaseError(.mismatch, "An address has a channel that the code does not know.")
        }
        self.init(via: via, value: try row.text(3))
    }
}
