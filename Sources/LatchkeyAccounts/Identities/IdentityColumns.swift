import LatchkeyModel
import LatchkeyServerKit

/// The columns of the table `identities`, except the id.
struct IdentityColumns: Sendable {
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
    /// Metadata that users can read, as JSON; `nil` if there is none.
    let publicMetadata: [UInt8]?
    /// Metadata that only operators can read, as JSON; `nil` if there is none.
    let adminMetadata: [UInt8]?
    /// The id in another system, which a unique index keeps unique; `nil` if there is none.
    let externalID: String?
    /// The number of times that the identity has been saved; each save compares and increments it.
    let version: Int64
    /// The time at which an address was first proven from inside the account
    /// (``AddressOwnership/Proof/inside``); `nil` for an unconfirmed account.
    let confirmedAt: Timestamp?
    /// The time of the last takeover; `nil` if there was none.
    let reclaimedAt: Timestamp?

    /// Reads the columns in the order in which ``IdentityRepository/load(_:in:)`` selects them; an unknown
    /// state is read as inactive.
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
