package import LatchkeyModel
import LatchkeyServerKit

/// A session as stored in the database.
///
/// If the session is renewed or revoked later, you have to read it from the database again to see the change.
package struct Session: Sendable {
    /// The session's id.
    ///
    /// The id isn't a secret: it appears in the API and the audit log, and it doesn't grant any access.
    package let id: Identifier
    /// The id of the identity that owns the session.
    package let identityID: Identifier

    /// How the user has authenticated, the latest authentication last.
    package private(set) var authentications: [Authentication]

    /// When the user first logged in.
    ///
    /// This date doesn't change when the user re-authenticates.
    package let issuedAt: Timestamp
    /// When the user last authenticated.
    ///
    /// The session is privileged for a limited time after the user has authenticated.
    package private(set) var authenticatedAt: Timestamp
    /// When the session expires.
    ///
    /// The session is rejected from this time on. If there is an idle lifespan
    /// (``SessionSettings/idleLifespan``), using the session moves this time, but never beyond ``endsAt``.
    package private(set) var expiresAt: Timestamp
    /// The end of the session's lifespan.
    package private(set) var endsAt: Timestamp

    /// Whether the session is provisional.
    ///
    /// A provisional session can only be used to enrol a certificate for its device.
    package let needsCertificate: Bool

    /// The device's random id, which is also part of its certificate.
    package let deviceID: Identifier

    /// The client's address and port when the session was created.
    package let ipAddress: String

    /// The `User-Agent` header field of the login request, without control characters and truncated to 512
    /// bytes.
    package let userAgent: String

    /// The client that the session was opened for, or `nil` if the app didn't name one.
    ///
    /// The app isn't authenticated, so this is only what it claims to be. Sessions of browsers have no client.
    package let clientID: String?
    /// The registered name of the client, or `nil` if it isn't registered any more.
    ///
    /// The name isn't known when the session is created. It may be empty, and is untrusted text.
    package let clientName: String?

    /// The app's session that this session of a browser continues and ends with, or `nil` if it has its own
    /// login.
    package private(set) var parentID: Identifier?

    /// When the session was revoked, or `nil` if it wasn't.
    package private(set) var revokedAt: Timestamp?

    /// Creates a value for a stored session.
    ///
    /// To create a new session, use ``NewSession``.
    package init(
        id: Identifier,
        identityID: Identifier,
        authentications: [Authentication],
        issuedAt: Timestamp,
        authenticatedAt: Timestamp,
        expiresAt: Timestamp,
        endsAt: Timestamp? = nil,
        needsCertificate: Bool,
        deviceID: Identifier,
        ipAddress: String,
        userAgent: String,
        clientID: String? = nil,
        clientName: String? = nil,
        parentID: Identifier? = nil,
        revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.identityID = identityID
        self.authentications = authentications
        self.issuedAt = issuedAt
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
        self.endsAt = endsAt ?? expiresAt
        self.needsCertificate = needsCertificate
        self.deviceID = deviceID
        self.ipAddress = ipAddress
        self.userAgent = userAgent
        self.clientID = clientID
        self.clientName = clientName
        self.parentID = parentID
        self.revokedAt = revokedAt
    }

    /// Returns the session after its user has authenticated again, which restarts its lifespan.
    ///
    /// - Parameters:
    ///   - method: The method that the user authenticated with.
    ///   - now: The time of the re-authentication.
    ///   - kind: The kind of client that the session belongs to.
    ///   - settings: The settings that contain the lifespans, which start at `now`.
    /// - Returns: The extended session. It isn't revoked, no longer ends with another session, and its other
    ///   properties stay the same.
    package func authenticatedAgain(
        by method: AuthenticationMethod,
        at now: Timestamp,
        kind: SessionToken.Kind = .app,
        settings: SessionSettings
    ) -> Session {
        let end = now + settings.lifespan(for: kind)
        var session = with(
            authentications.adding(Authentication(method, at: now)),
            authenticatedAt: now
        )
        session.expiresAt = settings.expiry(endingAt: end, usedAt: now)
        session.endsAt = end
        session.parentID = nil
        session.revokedAt = nil
        return session
    }

    /// Returns the session with another login.
    func with(_ authentications: [Authentication], authenticatedAt: Timestamp) -> Session {
        var session = self
        session.authentications = authentications
        session.authenticatedAt = authenticatedAt
        return session
    }

    /// Returns the session with the login of an app's session, which it ends with.
    func continuing(_ parent: Session) -> Session {
        var session = with(parent.authentications, authenticatedAt: parent.authenticatedAt)
        session.expiresAt = min(expiresAt, parent.expiresAt)
        session.endsAt = min(endsAt, parent.expiresAt)
        session.parentID = parent.id
        return session
    }

    /// Returns the session with another expiry date.
    func expiring(at expiresAt: Timestamp) -> Session {
        var session = self
        session.expiresAt = expiresAt
        return session
    }

    /// Returns whether the session is neither revoked nor expired at the given time.
    ///
    /// The state of the identity isn't checked.
    package func isAlive(at now: Timestamp) -> Bool {
        revokedAt == nil && expiresAt > now
    }
}

extension Session {
    /// Returns whether the user has authenticated recently enough to change credentials.
    ///
    /// A session that continues another one isn't privileged, because the credentials weren't entered in this
    /// browser.
    package func isPrivileged(for age: Duration, at now: Timestamp) -> Bool {
        parentID == nil && authenticatedAt + age > now
    }
}

extension Session {
    /// Reads a session from the first fifteen columns selected by ``SessionRepository``.
    init(row: Row) throws(DatabaseError) {
        id = try row.identifier(0)
        identityID = try row.identifier(1)
        authentications = try [Authentication](text: row.text(2))
        issuedAt = try row.time(3)
        authenticatedAt = try row.time(4)
        expiresAt = try row.time(5)
        needsCertificate = try row.bool(6)
        deviceID = try row.identifier(7)
        ipAddress = try row.text(8)
        userAgent = try row.text(9)
        revokedAt = try row.optional(10, as: Row.time)
        endsAt = try row.time(11)
        clientID = try row.optional(12, as: Row.text)
        clientName = try row.optional(13, as: Row.text)
        parentID = try row.optional(14, as: Row.identifier)
    }
}
