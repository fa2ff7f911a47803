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

    /// The live session whose token a request came with, also one that waits for its certificate.
    ///
    /// - Returns: `nil` without a token, and for one that is unknown, revoked, expired or of a disabled identity. A token
    ///   that a re-authentication replaced is accepted until it expires. Access tokens are not: they open APIs, not the
    ///   account.
    package func anySession(of exchange: Exchange) async throws -> SessionRepository.Found? {
        guard
            let token = exchange.sessionToken,
            let found = try await sessions.find(SessionToken(presented: token)),
            found.isAlive(at: exchange.now)
        else { return nil }
        if found.token == .unused { try await sessions.noteUse(of: found.session.id, at: exchange.now) }
        return found
    }

    /// The live and whole session of a session token, or of an access token that it was exchanged for; else 401 or 403.
    ///
    /// The session's row is read in both cases, so that an access token is refused as soon as its session has ended.
    package func sessionOfAnyToken(of exchange: Exchange) async throws -> SessionRepository.Found {
        // Session tokens hold no dots, unless an operator's prefix does.
        guard
            let token = exchange.sessionToken, token.exposed.utf8.contains(UInt8(ascii: ".")),
            let session = try await accessTokens.session(of: token, at: exchange.now)
        else { return try await self.session(of: exchange) }
        guard let found = try await sessions.find(session), found.isAlive(at: exchange.now) else {
            throw Self.refusal(nil)
        }
        return try Self.whole(found)
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
        try Self.whole(try await anySession(of: exchange, refusal: id))
    }

    private static func whole(_ found: SessionRepository.Found) throws(ServerError) -> SessionRepository.Found
    {
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
            throw Self.refusal(id)
        }
        return found
    }

    private static func refusal(_ id: ErrorID?) -> ServerError {
        ServerError(401, id, reason: "No valid session credentials were found in the request.")
    }
}
