import LatchkeyModel
package import LatchkeyWire

/// Decides whether a request comes with a session that may be used for what it asks.
package struct SessionAuthenticator: Sendable {
    private let sessions: SessionRepository
    private let accessTokens: AccessTokens

    package init(_ context: ServerContext) {
        sessions = SessionRepository(context)
        accessTokens = AccessTokens(context)
    }

    /// The live session that a request came with, also one that waits for its certificate.
    ///
    /// - Returns: Nothing for no token, and for one that is unknown, revoked, expired or of a disabled identity.
    package func anySession(of exchange: Exchange) async throws -> SessionRepository.Found? {
        guard
            let token = exchange.sessionToken,
            let found = try await find(token, at: exchange.now),
            found.session.isAlive(at: exchange.now), found.identity.isActive
        else { return nil }
        return found
    }

    /// The session of its own token or of an access token, whatever its state.
    ///
    /// The row is read in both cases, so that an access token ends here at the moment in which its session does.
    private func find(_ token: Secret, at now: Timestamp) async throws -> SessionRepository.Found? {
        // Session tokens hold no dots, unless an operator's prefix does.
        if token.exposed.utf8.contains(UInt8(ascii: ".")),
            let session = try await accessTokens.session(of: token, at: now)
        {
            return try await sessions.find(session)
        }
        return try await sessions.find(SessionToken(presented: token))
    }

    /// The live session that a request came with, unless it waits for its certificate: it is no session yet.
    package func wholeSession(of exchange: Exchange) async throws -> SessionRepository.Found? {
        guard let found = try await anySession(of: exchange), !found.session.needsCertificate else {
            return nil
        }
        return found
    }

    /// The live and whole session that a request came with; else 401, or 403 where it waits for its certificate.
    ///
    /// The refusal's id is the caller's choice: Kratos gives whoami none.
    package func session(of exchange: Exchange, refusal id: ErrorID? = nil) async throws
        -> SessionRepository.Found
    {
        let found = try await anySession(of: exchange, refusal: id)
        guard !found.session.needsCertificate else {
            throw ServerError(
                403,
                .deviceCertificateRequired,
                reason: "The session waits for the certificate of its device and opens nothing else."
            )
        }
        return found
    }

    /// The live session that a request came with, for the routes that are open before the certificate; else 401.
    package func anySession(of exchange: Exchange, refusal id: ErrorID?) async throws
        -> SessionRepository.Found
    {
        guard let found = try await anySession(of: exchange) else {
            throw ServerError(401, id, reason: "The request came without a session that is alive.")
        }
        return found
    }
}
