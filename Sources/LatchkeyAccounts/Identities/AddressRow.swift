import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// A row of the table `addresses`: a verifiable or recovery address with its position among the addresses of
/// the same kind.
package struct AddressRow: Hashable, Sendable {
    /// The value of the column `kind` for verifiable addresses.
    package static let verifiable = "verifiable"
    /// The value of the column `kind` for recovery addresses.
    static let recovery = "recovery"

    /// The id of the address, which links a changed address to its row.
    let id: Identifier
    private let kind: String
    private let address: ContactAddress
    private let position: Int
    private let status: Identity.VerifiableAddress.Status
    private let verifiedAt: Timestamp?
    private let createdAt: Timestamp
    private let updatedAt: Timestamp

    /// Returns the rows of all verifiable and recovery addresses of an identity.
    static func all(of identity: Identity) -> [AddressRow] {
        identity.verifiable.enumerated().map { AddressRow($1, at: $0) }
            + identity.recovery.enumerated().map { AddressRow($1, at: $0) }
    }

    private init(_ address: Identity.VerifiableAddress, at position: Int) {
        id = address.id
        kind = Self.verifiable
        self.address = address.address
        self.position = position
        status = address.status
        verifiedAt = address.verifiedAt
        createdAt = address.createdAt
        updatedAt = address.updatedAt
    }

    private init(_ address: Identity.RecoveryAddress, at position: Int) {
        id = address.id
        kind = Self.recovery
        self.address = address.address
        self.position = position
        status = .pending
        verifiedAt = nil
        createdAt = address.createdAt
        updatedAt = address.updatedAt
    }

    /// Inserts the row.
    ///
    /// - Parameters:
    ///   - identity: The id of the identity that owns the address.
    ///   - transaction: The transaction to write in.
    /// - Throws: ``IdentityRepository/Duplicate`` if another row has the same kind, channel and value;
    ///   ``DatabaseError``.
    func insert(of identity: Identifier, in transaction: borrowing Transaction) throws {
        let inserted = try transaction.execute(
            """
            INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, verified_at, \
            created_at, updated_at, position) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
            ON CONFLICT DO NOTHING
            """,
            .identifier(id),
            .identifier(identity),
            .text(kind),
            .text(address.via.rawValue),
            .text(address.value),
            .bool(verifiedAt != nil),
            .text(status.rawValue),
            .time(verifiedAt),
            .time(createdAt),
            .time(updatedAt),
            .integer(Int64(position))
        )
        guard inserted == 1 else { throw IdentityRepository.Duplicate() }
    }

    /// Updates the mutable columns (verification, position and time of change) of the row with this id.
    func update(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE addresses SET verified = $1, status = $2, verified_at = $3, updated_at = $4, \
            position = $5 WHERE id = $6
            """,
            .bool(verifiedAt != nil),
            .text(status.rawValue),
            .time(verifiedAt),
            .time(updatedAt),
            .integer(Int64(position)),
            .identifier(id)
        )
    }

    /// Deletes the row with this id; the state of the address is stored separately and does not change.
    func delete(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("DELETE FROM addresses WHERE id = $1", .identifier(id))
    }
}
