package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    /// The minimum time between two changes of an account's region by its user.
    package static let regionChangeInterval: Duration = .seconds(90 * 86_400)

    /// Returns when the user may change the account's region again, or `nil` if the user may change it now.
    ///
    /// Changes by the operator don't count.
    ///
    /// - Throws: ``DatabaseError``.
    package static func nextRegionChange(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Timestamp? {
        let rows = try transaction.rows(
            "SELECT region_changed_at FROM identities WHERE id = $1",
            .identifier(identity)
        )
        guard let changed = try rows.first?.optional(0, as: Row.time) else { return nil }
        // A stored time that is later than now doesn't prolong the wait.
        let end = min(changed, now) + regionChangeInterval
        return end > now ? end : nil
    }

    /// Stores when the user has last changed the account's region, or that the user hasn't changed it yet.
    ///
    /// - Throws: ``DatabaseError``.
    package static func noteRegionChange(
        of identity: Identifier,
        at now: Timestamp?,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE identities SET region_changed_at = $1 WHERE id = $2",
            .time(now),
            .identifier(identity)
        )
    }
}
