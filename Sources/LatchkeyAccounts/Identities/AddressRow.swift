import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// A row of the table `addresses`, which contains a verifiable or a recovery address.
///
/// The row also contains the position of the address among the addresses of the same kind.
package struct AddressRow: Hashable, Sendable {
    /// The value of the column `kind` for verifiable addresses.
    package static let verifiable = "verifiable"
    /// The value of the column `kind` for recovery addresses.
    static let recovery = "recovery"

    /// The columns that never change.
    private static let fixedColumns: SQL = "id, kind, via, value, created_at"
    /// The columns that ``update(in:)`` writes.
    private static let mutableColumns: SQL = "status, verified_at, updated_at, position, verified"

    /// The statement that reads the rows from which `Identity.VerifiableAddress` and `Identity.RecoveryAddress`
    /// are created.
    private static let ofIdentity: SQL = """
        SELECT \(fixedColumns), \(mutableColumns) FROM addresses WHERE identity_id = $1 ORDER BY position, id
        """

    private static let insertion: SQL = """
        INSERT INTO addresses (\(fixedColumns), \(mutableColumns), identity_id) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING
        """

    private static let replacement: SQL =
        "UPDATE addresses SET (\(mutableColumns)) = ($1, $2, $3, $4, $5) WHERE id = $6"

    /// The values of ``fixedColumns``.
    private var fixedValues: [SQLValue] {
        [.identifier(id), .text(kind), .text(address.via.rawValue), .text(address.value), .time(createdAt)]
    }

    /// The values of ``mutableColumns``.
    private var mutableValues: [SQLValue] {
        [
            .text(status.rawValue), .time(verifiedAt), .time(updatedAt), .integer(Int64(position)),
            .bool(verifiedAt != nil),
        ]
    }

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

    /// Returns the verifiable and the recovery addresses of an identity, each in the order of the schema.
    ///
    /// - Throws: ``DatabaseError``, with the code `mismatch` if this version cannot read a row.
    static func find(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (
        verifiable: [Identity.VerifiableAddress], recovery: [Identity.RecoveryAddress]
    ) {
        var verifiable: [Identity.VerifiableAddress] = []
        var recovery: [Identity.RecoveryAddress] = []
        for row in try transaction.rows(ofIdentity, .identifier(identity)) {
            if try row.text(1) == Self.verifiable {
                verifiable.append(try Identity.VerifiableAddress(row: row))
            } else {
                recovery.append(try Identity.RecoveryAddress(row: row))
            }
        }
        return (verifiable, recovery)
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
            Self.insertion,
            values: fixedValues + mutableValues + [.identifier(identity)]
        )
        guard inserted == 1 else { throw IdentityRepository.Duplicate() }
    }

    /// Updates the mutable columns (verification, position and time of change) of the row with this id.
    func update(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(Self.replacement, values: mutableValues + [.identifier(id)])
    }

    /// Deletes the row with this id; the state of the address is stored elsewhere and does not change.
    func delete(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("DELETE FROM addresses WHERE id = $1", .identifier(id))
    }
}
