package import LatchkeyModel
package import LatchkeyServerKit

extension FlowRepository {
    /// Deletes flows that expired before a given time, oldest first, together with their codes.
    ///
    /// If a batch is full, there may be more expired flows, so the caller should call this again in a new
    /// transaction.
    ///
    /// - Parameters:
    ///   - part: Whether to delete all expired flows or only unfinished ones.
    ///   - time: Flows that expired before this time are deleted.
    ///   - limit: The maximum number of flows to delete in this call.
    ///   - transaction: The transaction for this batch.
    /// - Returns: The number of deleted flows.
    /// - Throws: ``DatabaseError``.
    package static func deleteExpired(
        _ part: Expired,
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        let (end, limit) = (SQLValue.time(time), SQLValue.integer(Int64(limit)))
        // Codes of expired flows can no longer be used. We delete the codes first, because the statement
        // finds them through their flows.
        try transaction.execute(part.codes, end, limit)
        return try transaction.execute(part.flows, end, limit)
    }

    /// A group of expired flows with its own retention period.
    ///
    /// Anyone can create unfinished flows, so these have their own retention period and index.
    package enum Expired {
        /// Flows that were never completed and don't belong to an identity.
        case unfinished
        /// All flows.
        case all

        /// Deletes the codes of expired flows, using the same order, time and limit as ``flows``.
        fileprivate var codes: SQL {
            switch self {
            case .unfinished:
                """
                DELETE FROM codes WHERE flow_id IN (SELECT id FROM flows \
                WHERE expires_at < $1 AND identity_id IS NULL AND completed_at IS NULL \
                ORDER BY expires_at, id LIMIT $2)
                """
            case .all:
                """
                DELETE FROM codes WHERE flow_id IN (SELECT id FROM flows \
                WHERE expires_at < $1 ORDER BY expires_at, id LIMIT $2)
                """
            }
        }

        /// Deletes expired flows.
        ///
        /// The flows are ordered by expiry and id, so that both statements select the same rows.
        fileprivate var flows: SQL {
            switch self {
            case .unfinished:
                """
                DELETE FROM flows WHERE id IN (SELECT id FROM flows \
                WHERE expires_at < $1 AND identity_id IS NULL AND completed_at IS NULL \
                ORDER BY expires_at, id LIMIT $2)
                """
            case .all:
                """
                DELETE FROM flows WHERE id IN (SELECT id FROM flows \
                WHERE expires_at < $1 ORDER BY expires_at, id LIMIT $2)
                """
            }
        }
    }
}
