import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Takes tokens back (RFC 7009).
///
/// A refresh token and a session token stand for the session: it ends, and all of its tokens with it. An access token
/// ends nothing: it opens APIs, and any of them could log the user out. A refresh token whose successor was used ends
/// nothing either, because no proof of the key comes with it.
struct TokenRevocation: Sendable {
    private let ending: SessionEnding
    private let sessions: SessionRepository
    private let families: TokenFamilyRepository
    private let refreshTokens: RefreshTokenCodec

    init(_ context: ServerContext, pairs: TokenPairs) {
        ending = SessionEnding(context)
        sessions = SessionRepository(context)
        families = TokenFamilyRepository(context)
        refreshTokens = pairs.refreshTokens
    }

    /// Answers a `POST`: 200, whether or not there was anything to end, so that an answer that was lost is no error.
    func revoke(_ fields: FormFields, in exchange: Exchange) async throws -> HTTPResponse {
        // A hint could only make the search faster, and there is little to search.
        let token = Secret(try fields.required("token"))
        if let session = try await session(of: token, at: exchange.now) {
            try await ending.end(session.id, of: session.identityID, as: .loggedOut, in: exchange)
        }
        return HTTPResponse(200)
    }

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
