package import LatchkeyModel
import LatchkeyWire

/// A session that is about to be opened, with its token.
package struct SessionOpening: Sendable {
    private static let userAgentLimit = 512

    package let session: Session
    package let token: SessionToken
    package let evidence: SessionEvidence

    /// The thumbprint of the key that the request proved possession of: the only one that the session can enrol.
    package let keyThumbprint: [UInt8]?

    /// Creates an opening from its parts.
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
    }

    /// Creates a session; where the schema requires a certificate, it is provisional until its device has one.
    ///
    /// - Parameters:
    ///   - identity: The identity that logs in.
    ///   - method: The method, as Kratos names it.
    ///   - evidence: What the caller has proven.
    ///   - schema: The identity's schema; without one, a certificate is required to be on the safe side.
    ///   - exchange: The request that opens the session.
    ///   - keyThumbprint: The thumbprint of the key that the request proved possession of.
    ///   - now: The time.
    ///   - context: Settings and randomness.
    package init(
        of identity: Identifier,
        by method: String,
        _ evidence: SessionEvidence,
        _ schema: IdentitySchema?,
        for exchange: Exchange,
        keyThumbprint: [UInt8]? = nil,
        at now: Timestamp,
        _ context: ServerContext
    ) {
        self.evidence = evidence
        self.keyThumbprint = keyThumbprint
        let settings = context.settings
        let needsCertificate = schema?.policy.needsCertificate ?? true
        let lifespan = needsCertificate ? settings.provisionalSessionLifespan : settings.sessionLifespan
        token = SessionToken(prefix: settings.sessionTokenPrefix, random: context.random)
        session = Session(
            id: Identifier(random: context.random),
            identityID: identity,
            method: method,
            issuedAt: now,
            authenticatedAt: now,
            expiresAt: now + lifespan,
            needsCertificate: needsCertificate,
            deviceID: Identifier(random: context.random),
            ipAddress: exchange.peer.text,
            userAgent: Self.bounded(exchange.request.headers["User-Agent"] ?? "")
        )
    }

    /// What the client calls itself, cut where it gets long and without control characters.
    private static func bounded(_ userAgent: String) -> String {
        var kept = String.UnicodeScalarView()
        var bytes = 0
        for scalar in userAgent.unicodeScalars where scalar.properties.generalCategory != .control {
            bytes += UTF8.width(scalar)
            guard bytes <= userAgentLimit else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}

extension PeerAddress {
    /// The address with its port, as Kratos writes it: `127.0.0.1:52570`, `[::1]:52570`.
    fileprivate var text: String {
        (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}
