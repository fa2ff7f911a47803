import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Requires a stronger proof of identity for orders above a limit.
struct StepUp: Sendable {
    /// How long after a login the user can place orders above the limit.
    static let loginAge: Duration = .seconds(600)
    /// The minimum age of a device's key.
    ///
    /// An intruder who has just logged in on a new device can't use its key yet, and the owner has had time to
    /// react to the notice about the device.
    static let keyAge: Duration = .seconds(86_400)

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

    /// Makes sure that a session may place an order.
    ///
    /// - Throws: ``ServerError`` with status 403 and the id `session_refresh_required` if the order's total is
    ///   above the limit and neither the login nor the device's key is strong enough.
    func check(
        _ found: SessionRepository.Found,
        of identity: Identity,
        total: Money,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        guard isRequired(for: total) else { return }
        if Self.isStrong(found, of: identity, at: now) { return }
        if let key = found.provenKey,
            let since = try SessionRepository.certifiedSince(
                key: key,
                of: found.session.id,
                identity: identity.id,
                in: transaction
            ),
            since + Self.keyAge <= now
        {
            return
        }
        throw Self.refusal
    }

    /// Returns whether the user's last login is recent and wasn't made with a code that was sent to the
    /// account's only address.
    ///
    /// A recovery isn't strong enough either, because it is a code to an address.
    private static func isStrong(
        _ found: SessionRepository.Found,
        of identity: Identity,
        at now: Timestamp
    ) -> Bool {
        guard !found.isTokenReplaced, found.session.authenticatedAt + loginAge > now else { return false }
        return switch found.session.method {
        case .password: true
        case .code: identity.provenAddresses.count > 1
        case .codeRecovery: false
        }
    }

    private static let refusal = ServerError(
        403,
        id: .sessionRefreshRequired,
        reason:
            "An order of this size requires a login within the last ten minutes, but not with a code that was sent to the account's only address, or a device that was added to the account at least a day ago. A new device has to wait a day."
    )
}
