import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// A row of the `addresses` table, which contains either a verifiable address or a recovery address.
///
/// The row also stores the address's position among the identity's addresses of the same kind.
struct AddressRow: Hashable, Sendable {
    /// The value of the `kind` column for verifiable addresses.
    static let verifiable = "verifiable"
    /// The value of the `kind` column for recovery addresses.
    static let recovery = "recovery"

    /// The columns that never change.
    private static let fixedColumns: SQL = "id, kind, via, value, created_at"
    /// The columns that ``update(in:)`` writes.
    private static let mutableColumns: SQL = "status, verified_at, updated_at, position, verified"

    /// Selects the rows that `Identity.VerifiableAddress` and `Identity.RecoveryAddress` are created from.
    private static let ofIdentity: SQL = """
        SELECT \(fixedColumns), \(mutableColumns) FROM addresses WHERE identity_id = $1 ORDER BY position, id
        """

    private static let insertion: SQL = """
        INSERT INTO addresses (\(fixedColumns), \(mutableColumns), identity_id) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING
        """

    private static let replacement: SQL =
        "UPDATE addresses SET (\(mutableColumns)) = ($1, $2, $3, $4, $5) WHERE id = $6"

    private var fixedValues: [SQLValue] {
        [.identifier(id), .text(kind), .text(address.via.rawValue), .text(address.value), .time(createdAt)]
    }

    private var mutableValues: [SQLValue] {
        [
            .text(status.rawValue), .time(verifiedAt), .time(updatedAt), .integer(Int64(position)),
            .bool(verifiedAt != nil),
        ]
    }

    /// The address's id, which is also used to find the row when the address has changed.
    let id: Identifier
    private let kind: String
    private let address: ContactAddress
    private let position: Int
    private let status: Identity.VerifiableAddress.Status
    private let verifiedAt: Timestamp?
    private let createdAt: Timestamp
    private let updatedAt: Timestamp

    /// Returns the rows for all verifiable and recovery addresses of an identity.
    static func all(of identity: Identity) -> [AddressRow] {
        identity.verifiable.enumerated().map { AddressRow($1, at: $0) }
            + identity.recovery.enumerated().map { AddressRow($1, at: $0) }
    }

    /// Returns an identity's verifiable and recovery addresses, each list in the order of the schema.
    ///
    /// - Throws: ``DatabaseError``, with the code `mismatch` if this version of the server can't read a row.
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
    ///   - transaction: The database transaction that the row is written in.
    /// - Throws: ``IdentityRepository/Duplicate`` if a row with the same kind, channel and value exists.
    ///   ``DatabaseError``.
    func insert(of identity: Identifier, in transaction: borrowing Transaction) throws {
        let inserted = try transaction.execute(
            Self.insertion,
            values: fixedValues + mutableValues + [.identifier(identity)]
        )
        guard inserted == 1 else { throw IdentityRepository.Duplicate() }
    }

    /// Updates the row with this id in the database, except for the columns that never change.
    func update(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(Self.replacement, values: mutableValues + [.identifier(id)])
    }

    /// Deletes the row with this id.
    ///
    /// The address's ownership state is stored in another table and doesn't change.
    func delete(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("DELETE FROM addresses WHERE id = $1", .identifier(id))
    }
}
