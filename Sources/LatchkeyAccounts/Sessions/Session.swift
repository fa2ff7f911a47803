package import LatchkeyModel
import LatchkeyServerKit

/// A session as stored in the database.
///
/// The value is a snapshot; a later renewal or revocation is visible only after the session is read again.
package struct Session: Sendable {
    /// The id, which is not secret: the API and the audit log contain it, and the id alone grants no access.
    package let id: Identifier
    /// The id of the identity that owns the session.
    package let identityID: Identifier

    /// The method of the last authentication.
    package let method: AuthenticationMethod

    /// The time of the first login, which a re-authentication does not change.
    package let issuedAt: Timestamp
    /// The time of the last authentication, after which the session is privileged for a limited time.
    package let authenticatedAt: Timestamp
    /// The expiry; the session is not accepted at or after this time.
    package let expiresAt: Timestamp

    /// Whether the session is provisional and can be used only to enrol a certificate for its device.
    package let needsCertificate: Bool

    /// The random id of the device, which is also part of its certificate.
    package let deviceID: Identifier

    /// The client's address and port at the time when the session was opened.
    package let ipAddress: String

    /// The `User-Agent` header field of the login request, without control characters and truncated to 512
    /// bytes.
    package let userAgent: String
    /// The time of revocation; `nil` if the session has not been revoked.
    package let revokedAt: Timestamp?

    /// Creates a value that represents a stored session; use ``NewSession`` to create a new session.
    package init(
        id: Identifier,
        identityID: Identifier,
        method: AuthenticationMethod,
        issuedAt: Timestamp,
        authenticatedAt: Timestamp,
        expiresAt: Timestamp,
        needsCertificate: Bool,
        deviceID: Identifier,
        ipAddress: String,
        userAgent: String,
        revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.identityID = identityID
        self.method = method
        self.issuedAt = issuedAt
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
        self.needsCertificate = needsCertificate
        self.deviceID = deviceID
        self.ipAddress = ipAddress
        self.userAgent = userAgent
        self.revokedAt = revokedAt
    }

    /// Returns the session after its user re-authenticates, which restarts its lifespan.
    ///
    /// - Parameters:
    ///   - method: The method of the re-authentication.
    ///   - now: The time of the re-authentication.
    ///   - lifespan: The time from `now` to the new expiry.
    /// - Returns: The extended session, which is not revoked; its other properties do not change.
    package func authenticatedAgain(
        by method: AuthenticationMethod,
        at now: Timestamp,
        lifespan: Duration
    ) -> Session {
        Session(
            id: id,
            identityID: identityID,
            method: method,
            issuedAt: issuedAt,
            authenticatedAt: now,
            expiresAt: now + lifespan,
            needsCertificate: needsCertificate,
            deviceID: deviceID,
            ipAddress: ipAddress,
            userAgent: userAgent
        )
    }

    /// Returns whether the session is neither revoked nor expired at the given time.
    ///
    /// The state of its identity is not checked.
    package func isAlive(at now: Timestamp) -> Bool {
        revokedAt == nil && expiresAt > now
    }
}

extension Session {
    /// Reads a session from the first eleven columns that ``SessionRepository`` selects.
    init(row: Row) throws(DatabaseError) {
        id = try row.identifier(0)
        identityID = try row.identifier(1)
        guard let method = AuthenticationMethod(rawValue: try row.text(2)) else {
            throw DatabaseError(.mismatch, message: "A session has a method that is unknown to this version.")
        }
        self.method = method
        issuedAt = try row.time(3)
        authenticatedAt = try row.time(4)
        expiresAt = try row.time(5)
        needsCertificate = try row.bool(6)
        deviceID = try row.identifier(7)
        ipAddress = try row.text(8)
        userAgent = try row.text(9)
        revokedAt = try row.optional(10, as: Row.time)
    }
}
