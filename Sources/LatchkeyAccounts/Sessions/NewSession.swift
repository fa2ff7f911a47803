package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// A session that hasn't been stored yet, with its token and evidence.
package struct NewSession: Sendable {
    private static let userAgentLimit = 512

    /// The session to store.
    package private(set) var session: Session
    /// The token for the client.
    ///
    /// We only store the token's hash.
    package let token: SessionToken
    /// The credentials with which the user logged in.
    package let evidence: SessionEvidence

    /// The SHA-256 thumbprint of the key whose possession the request proved, or `nil` if it contained no
    /// proof.
    ///
    /// If there is a thumbprint, the session can only enrol the key with this thumbprint.
    package let keyThumbprint: [UInt8]?

    /// The maximum number of sessions of the account, or `nil` for no limit.
    let limit: Limit?

    struct Limit: Sendable {
        let count: Int
        /// Creates the audit event for a session that ends because there are too many.
        let event: @Sendable (Identifier) -> AuditEvent
    }

    /// Creates the description of a new session.
    ///
    /// - Parameters:
    ///   - session: The session, which must have a new id.
    ///   - token: The token for the client.
    ///   - evidence: The credentials with which the user logged in.
    ///   - keyThumbprint: The thumbprint of the key that the client proved to possess, or `nil` if there was
    ///     no proof.
    package init(
        _ session: Session,
        token: SessionToken,
        evidence: SessionEvidence = SessionEvidence(),
        keyThumbprint: [UInt8]? = nil
    ) {
        self.session = session
        self.token = token
        self.evidence = evidence
        self.keyThumbprint = keyThumbprint
        limit = nil
    }

    /// Creates a session for a login.
    ///
    /// If the schema requires a certificate, the session of an app is provisional until its device is enrolled.
    ///
    /// - Parameters:
    ///   - id: The session's new id, or `nil` for a random one.
    ///   - identity: The identity that logs in.
    ///   - method: The method that the user logged in with.
    ///   - evidence: The credentials that the user has proven.
    ///   - schema: The identity's schema. If the schema is `nil`, a certificate is required because that is
    ///     the safe default.
    ///   - context: The login request. We store the client's address and user agent.
    ///   - kind: The kind of client that logs in.
    ///   - clientID: The client that the app has named. Sessions of browsers have none.
    ///   - keyThumbprint: The thumbprint of the key in the request's proof of possession, or `nil` if the
    ///     request didn't contain a proof.
    ///   - now: The time of the login, which is the start of the session's lifespan.
    ///   - settings: The settings that contain the lifespans and the token prefix.
    ///   - random: The random source for the ids and the token.
    /// - Throws: ``AppRequired`` if a browser can't have a session of this account.
    package init(
        id: Identifier? = nil,
        of identity: Identifier,
        by method: AuthenticationMethod,
        evidence: SessionEvidence,
        schema: IdentitySchema?,
        for context: RequestContext,
        kind: SessionToken.Kind = .app,
        clientID: String? = nil,
        keyThumbprint: [UInt8]? = nil,
        at now: Timestamp,
        settings: SessionSettings,
        random: any RandomSource
    ) throws(AppRequired) {
        self.evidence = evidence
        self.keyThumbprint = keyThumbprint
        let needsCertificate = schema?.policy.needsCertificate ?? true
        guard kind == .app || !needsCertificate else { throw AppRequired() }
        let lifespan = needsCertificate ? settings.provisionalLifespan : settings.lifespan(for: kind)
        token = SessionToken(for: kind, settings: settings, random: random)
        limit = settings.perAccount.map { count in
            Limit(count: count) { displaced in
                AuditEvent(
                    .sessionDisplaced,
                    of: identity,
                    by: .server,
                    in: context,
                    about: displaced.description,
                    at: now,
                    random: random
                )
            }
        }
        session = Session(
            id: id ?? Identifier(random: random),
            identityID: identity,
            authentications: [Authentication(method, at: now)],
            issuedAt: now,
            authenticatedAt: now,
            expiresAt: settings.expiry(endingAt: now + lifespan, usedAt: now),
            endsAt: now + lifespan,
            needsCertificate: needsCertificate,
            deviceID: Identifier(random: random),
            ipAddress: context.peer.description,
            userAgent: Self.bounded(context.request.headers["User-Agent"] ?? ""),
            clientID: kind == .app ? clientID : nil
        )
    }

    /// Returns the session with a login that was completed earlier in another session.
    ///
    /// The session isn't privileged, even if the login is recent.
    package func continuing(
        _ authentications: [Authentication],
        authenticatedAt: Timestamp,
        privilegedAge: Duration
    ) -> NewSession {
        var new = self
        new.session = session.with(
            authentications,
            authenticatedAt: min(authenticatedAt, session.issuedAt - privilegedAge)
        )
        return new
    }

    /// Returns the session with the login of an app's session, which it ends with.
    ///
    /// It isn't privileged, and it doesn't last longer than the app's session would without being used.
    package func ending(with parent: Session) -> NewSession {
        var new = self
        new.session = session.continuing(parent)
        return new
    }

    /// Returns a user agent without control characters, truncated to 512 bytes.
    private static func bounded(_ userAgent: String) -> String {
        var kept = String.UnicodeScalarView()
        var bytes = 0
        for scalar in userAgent.unicodeScalars where !isControl(scalar) {
            bytes += UTF8.width(scalar)
            guard bytes <= userAgentLimit else { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Checking ASCII characters this way avoids a slow lookup in the Unicode tables.
        scalar.isASCII
            ? !(0x20...0x7E).contains(scalar.value) : scalar.properties.generalCategory == .control
    }
}
