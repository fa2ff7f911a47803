package import LatchkeyModel
import LatchkeyWire

/// A session that is about to be opened, with its token.
package struct SessionOpening: Sendable {
    private static let userAgentLimit = 512

    package let session: Session
    package let token: SessionToken

    /// Draws a session; where the identity's schema asks for a certificate, it is a provisional one at first.
    ///
    /// - Parameters:
    ///   - identity: Whose session it will be.
    ///   - method: How its owner proved who they are, as Kratos names it.
    ///   - schema: The identity's schema; without it, nobody knows better than to ask for a certificate.
    ///   - exchange: The request that opens it.
    ///   - now: The time.
    ///   - context: Settings and randomness.
    package init(
        of identity: Identifier,
        by method: String,
        _ schema: IdentitySchema?,
        for exchange: Exchange,
        at now: Timestamp,
        _ context: ServerContext
    ) {
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
