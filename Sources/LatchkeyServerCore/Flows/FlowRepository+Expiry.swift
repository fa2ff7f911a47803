import LatchkeyModel

extension FlowRepository {
    /// Deletes flows that expired before a time, with their codes, the oldest first.
    ///
    /// - Parameters:
    ///   - part: The flows.
    ///   - time: The time before which they expired.
    ///   - limit: The most flows to delete.
    ///   - transaction: The transaction.
    /// - Returns: The number of flows and of codes.
    /// - Throws: ``DatabaseError``.
    static func deleteExpired(
        _ part: Expired,
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (flows: Int, codes: Int) {
        let (end, limit) = (SQLValue.time(time), SQLValue.integer(Int64(limit)))
        // An expired flow accepts no code: without its flow a code is of no use.
        let codes = try transaction.execute(part.codes, end, limit)
        return (try transaction.execute(part.flows, end, limit), codes)
    }

    /// The flows that are deleted after the same time.
    enum Expired {
        /// Flows that belong to no account and did not end in success.
        case unfinished
        /// All flows.
        case all

        fileprivate var codes: StaticString {
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

        fileprivate var flows: StaticString {
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
