import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Requires a stronger proof of identity for orders above a limit.
struct StepUp: Sendable {
    /// How long after a login the user can place orders above the limit.
    static let loginAge: Duration = .seconds(600)
    /// The highest total of an order in each currency that needs no step-up.
    ///
    /// If the list is empty, no order needs one. Otherwise, every order in a currency that isn't listed does.
    let limits: [Money]

    /// Returns whether an order needs a step-up.
    func isRequired(for total: Money) -> Bool {
        guard !limits.isEmpty else { return false }
        guard let limit = limits.first(where: { $0.currency == total.currency }) else { return true }
        return total.amount > limit.amount
    }

    /// Returns why a session may not place an order, or `nil` if it may.
    ///
    /// A proof by the device's key is enough if the account has had the key for a day. Otherwise, the user must
    /// have logged in recently with a factor that the account has had for a day; see ``SettledFactors``. An
    /// intruder who has just entered the account has neither, and the owner has had time to react to the
    /// notices.
    ///
    /// The refusal has status 403 and the id `session_refresh_required` if the order's total is above the limit
    /// and neither the login nor the device's key is strong enough. If no login of the account would be strong
    /// enough, the id is `device_too_new`.
    func refusal(
        of total: Money,
        for found: AuthenticatedSession,
        of identity: Identity,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> ServerError? {
        guard isRequired(for: total) else { return nil }
        if let key = found.provenKey,
            let since = try SessionRepository.boundSince(
                key: key,
                of: found.session.id,
                identity: identity.id,
                in: transaction
            ),
            since + SettledFactors.age <= now
        {
            return nil
        }
        let factors = try SettledFactors(of: identity, at: now, in: transaction)
        guard factors.hasPassword || factors.addresses.count > 1 else { return Self.deviceTooNew }
        return try Self.isStrong(found, with: factors, at: now, in: transaction) ? nil : Self.loginRequired
    }

    /// Returns whether the user's last login is recent and wasn't made with a code that was sent to the
    /// account's only address.
    ///
    /// A recovery isn't strong enough either, because it is a code to an address. A code to one of several
    /// addresses is, unless the session has also used an address that was added recently.
    private static func isStrong(
        _ found: AuthenticatedSession,
        with factors: SettledFactors,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard !found.isTokenReplaced, found.session.authenticatedAt + loginAge > now else { return false }
        switch found.session.authentications.last?.method {
        case .password?: return factors.hasPassword
        case .code?:
            let evidence = try SessionRepository.evidence(of: found.session.id, in: transaction)
            return factors.addresses.count > 1 && evidence.addresses.isSubset(of: factors.addresses)
        default: return false
        }
    }

    private static let loginRequired = ServerError(
        403,
        id: .sessionRefreshRequired,
        reason: """
            An order of this size requires a login within the last ten minutes, but not with a code that was \
            sent to the account's only address, nor with a password or an address that is newer than a day. A \
            device that was added to the account at least a day ago needs no login.
            """
    )

    private static let deviceTooNew = ServerError(
        403,
        id: .deviceTooNew,
        reason: """
            An order of this size requires a device that was added to the account at least a day ago. A new \
            device has to wait a day.
            """
    )
}
