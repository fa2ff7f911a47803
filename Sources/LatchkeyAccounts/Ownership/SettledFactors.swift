package import LatchkeyModel
package import LatchkeyServerKit

/// The ways to log in that an account has had for some time.
///
/// An intruder who has entered an account can add an address or set a first password, and then log in with it.
/// These factors prove no more than the first login, until the owner has had time to react to the notices.
package struct SettledFactors: Sendable {
    /// The minimum age of a factor.
    ///
    /// Factors that are as old as the account don't have to wait, because the account has had no other user.
    package static let age: Duration = .seconds(86_400)

    /// The proven addresses that the account has had for at least ``age`` or since it was created.
    package let addresses: Set<ContactAddress>
    /// Whether the account has had its password for at least ``age`` or since it was created.
    package let hasPassword: Bool

    /// Reads the settled factors of an account.
    ///
    /// - Throws: ``DatabaseError``.
    package init(
        of identity: Identity,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        addresses = identity.settledAddresses(at: now)
        let times = try IdentityRepository.passwordTimes(of: identity.id, in: transaction)
        hasPassword = times.map { identity.isSettled($0.updatedAt, at: now) } ?? false
    }
}

extension Identity {
    /// Returns the proven addresses that the account has had for at least ``SettledFactors/age`` or since it was
    /// created.
    ///
    /// Identifiers that are neither verifiable nor recovery addresses have no date and aren't included.
    func settledAddresses(at now: Timestamp) -> Set<ContactAddress> {
        let settled =
            verifiable.filter { isSettled($0.createdAt, at: now) }.map(\.address)
            + recovery.filter { isSettled($0.createdAt, at: now) }.map(\.address)
        return provenAddresses.intersection(settled)
    }

    fileprivate func isSettled(_ start: Timestamp, at now: Timestamp) -> Bool {
        start + SettledFactors.age <= now || (start <= createdAt && reclaimedAt == nil)
    }
}
