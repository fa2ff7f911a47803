/// A kind of value that is stored alongside the session, identified by a name.
package struct SideRecordKind: Hashable, Sendable {
    /// The event that removes a stored value, unless the value has already expired.
    package enum Lifetime: Hashable, Sendable {
        /// The value is tied to the current login. The value is removed when the login ends because the user
        /// signed out, the server ended the session, or another login replaced it.
        case login
        /// The value doesn't require a login, and is removed when the user signs out.
        case untilSignOut
        /// The value isn't removed when the user signs out.
        case device
    }

    /// The maximum size of a value in bytes.
    package static let byteLimit = 32_768

    /// The name that the value is stored under, which must never change.
    package let name: String
    /// The event that removes the value if it hasn't expired before then.
    package let lifetime: Lifetime
    /// How long the value is kept after its last change.
    package let lifespan: Duration

    /// Creates a kind of stored value.
    package init(_ name: String, lifetime: Lifetime, lifespan: Duration) {
        (self.name, self.lifetime, self.lifespan) = (name, lifetime, lifespan)
    }

    /// The logins in a browser that aren't completed yet, each of which has an expiry date of its own.
    package static let pendingAuthorizations = SideRecordKind(
        "pending-authorizations",
        lifetime: .untilSignOut,
        lifespan: .seconds(30 * 86_400)
    )

    /// The tokens of ended sessions that still have to be revoked on the server.
    package static let revocationOutbox = SideRecordKind(
        "revocation-outbox",
        lifetime: .device,
        lifespan: .seconds(30 * 86_400)
    )

    /// The user's purchases that the app hasn't finished yet.
    package static let unfinishedPurchases = SideRecordKind(
        "unfinished-purchases",
        lifetime: .login,
        lifespan: .seconds(90 * 86_400)
    )

    /// The most recently fetched agreements of the user.
    package static let agreementCache = SideRecordKind(
        "agreement-cache",
        lifetime: .login,
        lifespan: .seconds(86_400)
    )

    /// The scope that the value is stored in.
    var scope: SideRecordScope { lifetime == .device ? .device : .login }
}
