package import LatchkeyModel
import LatchkeyServerKit

/// A session as stored in the database.
package struct Session: Sendable {
    package let id: Identifier
    package let identityID: Identifier

    /// The method of the last authentication, with Kratos's name.
    package let method: String

    package let issuedAt: Timestamp
    package let authenticatedAt: Timestamp
    package let expiresAt: Timestamp

    /// Whether the session is provisional: until its device has a certificate, it cannot be used for anything
    /// else.
    package let needsCertificate: Bool

    package let deviceID: Identifier

    /// The address and port of the client when the session was opened.
    package let ipAddress: String

    package let userAgent: String
    package let revokedAt: Timestamp?

    package init(
        id: Identifier,
        identityID: Identifier,
        method: String,
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

    /// Returns the session after a re-authentication of its user, which extends its lifespan from then on.
    ///
    /// - Parameters:
    ///   - method: The method, with Kratos's name.
    ///   - now: The time of the re-authentication.
    ///   - lifespan: The time from `now` to the new expiry.
    /// - Returns: The extended session, not revoked; its other properties do not change.
    package func authenticatedAgain(by method: String, at now: Timestamp, lifespan: Duration) -> Session {
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

    /// Returns whether the session is neither revoked nor expired at a time; the state of the identity is not
    /// considered.
    package func isAlive(at now: Timestamp) -> Bool {
        revokedAt == nil && expiresAt > now
    }
}

extension Session {
    /// Reads a session from the first eleven columns that ``SessionRepository`` selects.
    init(row: Row) throws(DatabaseError) {
        id = try row.identifier(0)
        identityID = try row.identifier(1)
        method = try row.text(2)
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
