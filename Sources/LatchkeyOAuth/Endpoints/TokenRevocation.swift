import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The token revocation endpoint (RFC 7009).
///
/// Revoking a refresh token or a session token revokes the session and all of its tokens. Revoking an access
/// token has no effect. Otherwise, any API that receives an access token could log the user out. Revoking a
/// refresh token whose successor has been used has no effect either, because the request doesn't contain a
/// proof of possession.
struct TokenRevocation: Sendable {
    private let ending: SessionRevoker
    private let sessions: SessionRepository
    private let families: TokenFamilyRepository
    private let refreshTokens: RefreshTokenCodec

    /// Creates the endpoint.
    ///
    /// The endpoint only needs the refresh token codec from `pairs`.
    init(
        pairs: TokenIssuer,
        ending: SessionRevoker,
        sessions: SessionRepository,
        families: TokenFamilyRepository
    ) {
        self.ending = ending
        self.sessions = sessions
        self.families = families
        refreshTokens = pairs.refreshTokens
    }

    /// Handles the `POST` request.
    ///
    /// The status is 200 even if no session was revoked, so that a client can retry when a response was lost.
    ///
    /// - Throws: ``OAuthError`` with the code `invalidRequest` if the parameter `token` is missing, or
    ///   ``DatabaseError``, in which case the client should retry.
    func revoke(_ fields: FormFields, in context: RequestContext) async throws -> HTTP.Response {
        // Ignore `token_type_hint`, which would only speed up a lookup that is already fast.
        let token = Secret(try fields.required("token"))
        if let session = try await session(of: token, at: context.now) {
            try await ending.end(session.id, of: session.identityID, as: .loggedOut, in: context)
        }
        return .json(200, body: RevocationBody.json)
    }

    /// Returns the session that ends when a client revokes the given token.
    ///
    /// Returns `nil` for an unknown token, an access token, a refresh token whose successor has been used,
    /// and a session token that has been replaced and has expired.
    private func session(of token: Secret, at now: Timestamp) async throws -> Session? {
        if let refresh = refreshTokens.read(token) {
            guard let family = try await families.find(refresh.session) else { return nil }
            switch family.judge(refresh.number) {
            case .first, .again: return try await sessions.find(family.session)?.session
            case .dead, .unknown: return nil
            }
        }
        guard let found = try await sessions.find(SessionToken(presented: token)) else { return nil }
        return found.isTokenValid(at: now) ? found.session : nil
    }
}
