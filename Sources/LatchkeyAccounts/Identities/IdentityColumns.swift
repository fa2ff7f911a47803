import LatchkeyModel
import LatchkeyServerKit

/// The columns of the table `identities` except the id.
struct IdentityColumns: Sendable {
    let schemaID: String
    let state: Identity.State
    let traits: [UInt8]
    let stateChangedAt: Timestamp
    let createdAt: Timestamp
    let updatedAt: Timestamp
    let publicMetadata: [UInt8]?
    let adminMetadata: [UInt8]?
    let externalID: String?
    let version: Int64
    let confirmedAt: Timestamp?
    let reclaimedAt: Timestamp?

    /// Reads the columns in the order in which ``IdentityRepository/load(_:in:)`` selects them; an unknown
    /// state counts as inactive.
    init(row: Row) throws(DatabaseError) {
        schemaID = try row.text(0)
        state = Identity.State(rawValue: try row.text(1)) ?? .inactive
        traits = try row.blob(2)
        stateChangedAt = try row.time(3)
        createdAt = try row.time(4)
        updatedAt = try row.time(5)
        publicMetadata = try row.optional(6, as: Row.blob)
        adminMetadata = try row.optional(7, as: Row.blob)
        externalID = try row.optional(8, as: Row.text)
        version = try row.integer(9)
        confirmedAt = try row.optional(10, as: Row.time)
        reclaimedAt = try row.optional(11, as: Row.time)
    }
}
