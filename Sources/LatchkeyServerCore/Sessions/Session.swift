package import LatchkeyModel

/// A session as it is kept.
package struct Session: Sendable {
    package let id: Identifier
    package let identityID: Identifier

    /// The method it was opened with, as Kratos names it.
    package let method: String

    package let issuedAt: Timestamp
    package let authenticatedAt: Timestamp
    package let expiresAt: Timestamp

    /// Whether it still waits for the device's certificate, and until then opens nothing else.
    package let needsCertificate: Bool

    package let deviceID: Identifier

    /// The address and port of the device when the session was opened.
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

    /// The session after its owner has proved again who it is.
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

    /// Whether it may be used at a time.
    package func isAlive(at now: Timestamp) -> Bool {
        revokedAt == nil && expiresAt > now
    }
}

extension Session {
    /// Reads a session from the columns that ``SessionRepository`` selects.
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
        revokedAt = try row.optional(10, Row.time)
    }
}
