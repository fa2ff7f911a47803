import LatchkeyModel
import LatchkeyServerKit

/// The columns of the `identities` table, except for the id.
///
/// The names, the values and the initializer that reads a row all use the same order. All statements that
/// read, insert or update whole identities are based on this type, so it is the only place where a new column
/// needs to be added.
struct IdentityColumns: Sendable {
    /// The names of the columns.
    static let names: SQL = """
        schema_id, state, traits, body, state_changed_at, created_at, updated_at, metadata_public, \
        metadata_admin, external_id, version, confirmed_at, reclaimed_at, deletion_at, duties
        """

    /// The placeholders for ``values(of:version:)``.
    ///
    /// The placeholders must come first in a statement.
    static let parameters: SQL = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15"

    /// Returns the column values for an identity, in the order of ``names``.
    ///
    /// - Parameters:
    ///   - identity: The identity to store.
    ///   - version: The version to store.
    /// - Returns: The column values.
    static func values(of identity: Identity, version: Int64) -> [SQLValue] {
        [
            .text(identity.schemaID),
            .text(identity.state.rawValue),
            .blob(identity.traits),
            .blob(identity.record.body),
            .time(identity.stateChangedAt),
            .time(identity.createdAt),
            .time(identity.updatedAt),
            .optional(identity.publicMetadata),
            .optional(identity.adminMetadata),
            .optional(identity.externalID),
            .integer(version),
            .time(identity.confirmedAt),
            .time(identity.reclaimedAt),
            .time(identity.deletionAt),
            .optional(identity.duties),
        ]
    }

    /// The id of the identity's schema, which may no longer exist.
    let schemaID: String
    /// The identity's state.
    ///
    /// An unknown state is read as inactive.
    let state: Identity.State
    /// The traits as UTF-8 encoded JSON.
    let traits: [UInt8]
    /// When the state last changed.
    let stateChangedAt: Timestamp
    let createdAt: Timestamp
    let updatedAt: Timestamp
    /// The metadata that users can read, as JSON, or `nil` if there is none.
    let publicMetadata: [UInt8]?
    /// The metadata that only operators can read, as JSON, or `nil` if there is none.
    let adminMetadata: [UInt8]?
    /// The identity's id in another system, or `nil` if it has none.
    ///
    /// A unique index prevents duplicates.
    let externalID: String?
    /// The number of times that the identity has been saved.
    ///
    /// Each save checks that the stored version is the same, and increments it.
    let version: Int64
    /// When an address was first proven from inside the account (``AddressOwnership/Proof/inside``), or `nil`
    /// if the account isn't confirmed.
    let confirmedAt: Timestamp?
    /// When the account was last taken over, or `nil` if it never was.
    let reclaimedAt: Timestamp?
    /// When the account will be erased, or `nil` if its owner hasn't deleted it.
    let deletionAt: Timestamp?
    /// The names of the form fields that may be missing.
    let waivedFields: Set<String>

    /// Reads the columns in ``names``.
    ///
    /// The `body` column is skipped because its value is derived from the other columns.
    init(row: Row) throws(DatabaseError) {
        schemaID = try row.text(0)
        state = Identity.State(rawValue: try row.text(1)) ?? .inactive
        traits = try row.blob(2)
        stateChangedAt = try row.time(4)
        createdAt = try row.time(5)
        updatedAt = try row.time(6)
        publicMetadata = try row.optional(7, as: Row.blob)
        adminMetadata = try row.optional(8, as: Row.blob)
        externalID = try row.optional(9, as: Row.text)
        version = try row.integer(10)
        confirmedAt = try row.optional(11, as: Row.time)
        reclaimedAt = try row.optional(12, as: Row.time)
        deletionAt = try row.optional(13, as: Row.time)
        let duties = try row.optional(14, as: Row.text)
        waivedFields = Set(duties?.split(separator: "\n").map(String.init) ?? [])
    }
}
