package import LatchkeyModel
package import LatchkeyServerKit

extension FlowRepository {
    /// Deletes flows that expired before a given time, with their codes, in order of expiry.
    ///
    /// A full batch means that there may be more, so the caller repeats the call in a new transaction.
    ///
    /// - Parameters:
    ///   - part: Whether to delete all expired flows or only unfinished ones.
    ///   - time: The exclusive upper bound on their expiry.
    ///   - limit: The maximum number of flows to delete in this call.
    ///   - transaction: The transaction of this batch.
    /// - Returns: The numbers of deleted flows and codes.
    /// - Throws: ``DatabaseError``.
    package static func deleteExpired(
        _ part: Expired,
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (flows: Int, codes: Int) {
        let (end, limit) = (SQLValue.time(time), SQLValue.integer(Int64(limit)))
        // An expired flow accepts no code. The codes are deleted first, because the statement selects them
        // through their flows.
        let codes = try transaction.execute(part.codes, end, limit)
        return (try transaction.execute(part.flows, end, limit), codes)
    }

    /// The flows that share a retention period.
    ///
    /// Any client can create unfinished flows, so they have their own retention period and index.
    package enum Expired {
        /// Flows that belong to no identity and were not completed.
        case unfinished
        /// All flows.
        case all

        /// The statement that deletes the codes of the expired flows, in the same order and with the same
        /// bound and limit as ``flows``.
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

        /// The statement that deletes the flows, ordered by expiry and id so that both statements select the
        /// same rows.
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
