import LatchkeyModel
import LatchkeyWire

/// Requests a new token pair for a session from the token endpoint.
///
/// The request contains the refresh token, or the session token if the session doesn't have a token pair yet.
struct TokenRenewal: Sendable {
    /// The maximum delay between requests, even if the server asks for a longer one.
    private static let longestPause: Duration = .seconds(300)

    /// The time and nonce that were recorded before the store was read.
    ///
    /// Both values are included in the proof, so that the server can tell a late request from a stolen token.
    /// A client that reads the store after a new token has been used finds that token there, so it never
    /// presents the old one.
    struct ProofContext: Sendable {
        /// The time according to the server's clock.
        let time: Timestamp
        /// The time according to the clock of the OpenID provider, which may be another server.
        let providerTime: Timestamp
        let nonce: String?
    }

    enum Answer: Sendable {
        /// The server issued a new pair.
        case granted(TokenPair)
        /// The server rejected the request because the session has ended. No other result ends the session.
        case refused
        /// The proof is too old or doesn't contain a valid nonce. Read the store again and send a new proof.
        case stale
        /// The request failed with this error. The session remains active.
        case failed(LatchkeyError)
    }

    /// A delay that the server requested, during which no requests are sent.
    private struct Pause: Sendable {
        let session: StoredSession
        let error: LatchkeyError

        /// The time on the monotonic clock at which the delay ends.
        let end: Duration
    }

    private struct Memory: Sendable {
        /// The latest DPoP nonce received from the server.
        var nonce: String?
        var pause: Pause?
    }

    private let api: IdentityAPI
    private let signer: DeviceSigner
    /// Refreshes OAuth grants, or is `nil` if the app isn't registered at a provider.
    private let grants: (any GrantProvider)?
    private let type: AccessTokenType
    private let time: any TimeSource
    private let random: any RandomSource
    private let memory = Locked(Memory())

    /// Creates a token renewal, which requests bearer tokens by default.
    init(
        api: IdentityAPI,
        signer: DeviceSigner,
        grants: (any GrantProvider)? = nil,
        type: AccessTokenType = .bearer,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.api, self.signer, self.grants, self.type) = (api, signer, grants, type)
        (self.time, self.random) = (time, random)
    }

    /// Records the current time and nonce.
    ///
    /// Call this method before the store is read.
    func captureProofContext() -> ProofContext {
        let time = api.clock.now()
        return ProofContext(
            time: time,
            providerTime: grants?.clock.now() ?? time,
            nonce: memory.withLock { $0.nonce }
        )
    }

    /// Requests a new token pair.
    ///
    /// If the server has asked for a delay, no request is sent until the delay has passed. Instead, the error
    /// that started the delay is returned.
    ///
    /// - Parameters:
    ///   - stored: The session, as read from the store.
    ///   - context: The time and nonce that were recorded before the store was read.
    /// - Returns: The result of the request. The caller decides how to proceed.
    func renew(_ stored: StoredSession, with context: ProofContext) async -> Answer {
        if let pause = memory.withLock({ $0.pause }), pause.session.isSameLogin(as: stored),
            time.uptime < pause.end
        {
            return .failed(pause.error)
        }
        do throws(LatchkeyError) {
            return try await request(stored, with: context)
        } catch {
            notePause(error, of: stored)
            return .failed(error)
        }
    }

    /// Delays further requests if the identity server has asked for a delay.
    ///
    /// Responses from proxies and other intermediaries are ignored.
    private func notePause(_ error: LatchkeyError, of stored: StoredSession) {
        guard case .after(let asked) = error.retry, error.cause is ServerRefusal else { return }
        let delay = min(asked, Self.longestPause)
        let end = time.uptime + random.duration(in: delay..<(delay + delay / 4 + .milliseconds(1)))
        memory.withLock { $0.pause = Pause(session: stored, error: error, end: end) }
    }

    /// Requests a new token pair.
    ///
    /// The request includes a proof that the device possesses its key.
    private func request(_ stored: StoredSession, with context: ProofContext) async throws(LatchkeyError)
        -> Answer
    {
        let question: TokenRequest
        switch stored.credential {
        case .sessionToken(let token, let pair):
            question = pair?.refresh.map { .refresh($0) } ?? .exchange(sessionToken: token)
        case .grant(let grant):
            return try await renew(grant, key: stored.key, with: context)
        }
        let proof = try await signer.proof(
            forPostTo: api.tokenURL,
            issuedAt: context.time,
            nonce: context.nonce,
            by: stored.key
        )
        let start = time.now
        let reply = try await api.tokens(question, type: type, proof: proof)
        if let nonce = reply.nonce { memory.withLock { $0.nonce = nonce } }
        switch reply.outcome {
        case .success(let tokens):
            // If we accepted a bearer token instead of a bound one, the app would lose the protection that it
            // asked for without noticing.
            guard type == .bearer || tokens.type == .dpop else {
                throw LatchkeyError(
                    .refused,
                    message: "The identity server does not issue access tokens bound to the device's key."
                )
            }
            return .granted(
                TokenPair(
                    access: tokens.body.accessToken,
                    refresh: tokens.body.refreshToken,
                    lifespan: .seconds(tokens.body.expiresIn),
                    receivedAt: start,
                    isBound: tokens.type == .dpop
                )
            )
        case .failure(let refusal) where refusal.code == .invalidDPoPProof:
            // The response may have shown what time it is.
            guard api.clock.differs(from: context.time) else { throw .proofRejected }
            return .stale
        case .failure(let refusal):
            return try await interpret(refusal, for: stored)
        }
    }

    /// Requests new tokens for an OAuth grant.
    private func renew(
        _ grant: OAuthGrant,
        key: StoredKey,
        with context: ProofContext
    ) async throws(LatchkeyError) -> Answer {
        guard let grants else {
            throw LatchkeyError(
                .refused,
                message: "The user has logged in at an OpenID provider, but the app isn't registered at one."
            )
        }
        guard grant.pair.refresh != nil else {
            if try await grants.isEnded(grant) { return .refused }
            throw LatchkeyError(.refused, message: "The provider has issued no refresh token.", retry: .later)
        }
        let reply = try await grants.refresh(grant, key: key, with: context)
        if let nonce = reply.nonce { memory.withLock { $0.nonce = nonce } }
        switch reply.outcome {
        case .success(let pair): return .granted(pair)
        case .failure(let refusal) where refusal.code == .invalidGrant && refusal.status == 400:
            return .refused
        case .failure(let refusal) where refusal.code == .useDPoPNonce && reply.nonce != nil: return .stale
        case .failure(let refusal)
        where refusal.code == .invalidDPoPProof && grants.clock.differs(from: context.providerTime):
            return .stale
        case .failure(let refusal):
            throw LatchkeyError(.refused, message: refusal.description, cause: refusal)
        }
    }

    /// Interprets an error response from the token endpoint.
    ///
    /// Throws an error if it is unclear whether the session has ended.
    private func interpret(
        _ refusal: TokenRefusal,
        for stored: StoredSession
    ) async throws(LatchkeyError) -> Answer {
        switch refusal.code {
        case .useDPoPNonce: return .stale
        case .invalidGrant where stored.pair != nil && refusal.status == 400: return .refused
        case .invalidGrant, .invalidRequest:
            // Only `whoami` can tell us whether the session token itself is still valid.
            guard let token = stored.sessionToken else { break }
            do throws(LatchkeyError) {
                _ = try await api.whoami(token)
            } catch  where error.code == .sessionEnded {
                return .refused
            }
        default: break
        }
        throw LatchkeyError(.refused, message: refusal.description, cause: refusal)
    }
}
