import LatchkeyModel
import LatchkeyServerKit

/// The columns of the table `identities`, except the id.
///
/// The list of names, the values of a row and the initializer that reads a row have the same order. All statements
/// that read, insert or update whole identities use them, so that a new column needs to be added only here.
struct IdentityColumns: Sendable {
    /// The names of the columns.
    static let names: SQL = """
        schema_id, state, traits, body, state_changed_at, created_at, updated_at, metadata_public, \
        metadata_admin, external_id, version, confirmed_at, reclaimed_at, deletion_at
        """

    /// The parameters for ``values(of:version:)``, in a statement that has no parameters before them.
    static let parameters: SQL = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14"

    /// Returns the values of the columns.
    ///
    /// - Parameters:
    ///   - identity: The identity to store.
    ///   - version: The version to store.
    /// - Returns: The values, in the order of ``names``.
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
        ]
    }

    /// The id of the schema, which may no longer exist.
    let schemaID: String
    /// The state; an unknown state is read as inactive.
    let state: Identity.State
    /// The traits as JSON in UTF-8.
    let traits: [UInt8]
    /// The time of the last change of the state.
    let stateChangedAt: Timestamp
    let createdAt: Timestamp
    let updatedAt: Timestamp
    /// The metadata that users can read, as JSON; `nil` if there is none.
    let publicMetadata: [UInt8]?
    /// The metadata that only operators can read, as JSON; `nil` if there is none.
    let adminMetadata: [UInt8]?
    /// The id of the identity in another system, which a unique index protects; `nil` if there is none.
    let externalID: String?
    /// The number of times that the identity has been saved; each save compares and increments it.
    let version: Int64
    /// The time at which an address was first proven from inside the account
    /// (``AddressOwnership/Proof/inside``); `nil` for an unconfirmed account.
    let confirmedAt: Timestamp?
    /// The time of the last takeover of the account; `nil` if there was none.
    let reclaimedAt: Timestamp?
    /// The time from which the account is erased; `nil` if its owner has not deleted it.
    let deletionAt: Timestamp?

    /// Reads the columns ``names``; the column `body` is skipped, because it is derived from the others.
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
    }
}
