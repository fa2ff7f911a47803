/// A kind of side record: data beside the session that outlives a call, under a name and with a lifespan.
package struct SideRecordKind: Hashable, Sendable {
    /// The end of a side record, apart from its lifespan.
    package enum Lifetime: Hashable, Sendable {
        /// It belongs to the current login, and ends with it: by a sign-out, a verdict of the server or another
        /// login.
        case login
        /// It exists with or without a login, and ends with a sign-out.
        case untilSignOut
        /// It remains on the device after a sign-out.
        case device
    }

    /// The maximum size of a side record in bytes.
    package static let byteLimit = 32_768

    /// The name, which never changes.
    package let name: String
    /// The end of the record, apart from its lifespan.
    package let lifetime: Lifetime
    /// The time after the last change for which the record exists.
    package let lifespan: Duration

    /// Creates a kind.
    package init(_ name: String, lifetime: Lifetime, lifespan: Duration) {
        (self.name, self.lifetime, self.lifespan) = (name, lifetime, lifespan)
    }

    /// The authorization requests whose responses are still expected from a browser.
    package static let pendingAuthorizations = SideRecordKind(
        "pending-authorizations",
        lifetime: .untilSignOut,
        lifespan: .seconds(600)
    )

    /// The tokens of ended sessions that have yet to be revoked at the server.
    package static let revocationOutbox = SideRecordKind(
        "revocation-outbox",
        lifetime: .device,
        lifespan: .seconds(30 * 86_400)
    )

    /// The purchases of the user that the app has not finished.
    package static let unfinishedPurchases = SideRecordKind(
        "unfinished-purchases",
        lifetime: .login,
        lifespan: .seconds(90 * 86_400)
    )

    /// The last known agreements of the user.
    package static let agreementCache = SideRecordKind(
        "agreement-cache",
        lifetime: .login,
        lifespan: .seconds(86_400)
    )

    /// The scope whose store holds the record.
    var scope: SideRecordScope { lifetime == .device ? .device : .login }
}
