import LatchkeyModel
import LatchkeyWire

/// A client for the token endpoint that requests a session's next token pair.
///
/// It presents the refresh token, or the session token if there is no pair yet.
struct TokenRenewal: Sendable {
    /// The longest pause between requests, even if the server asks for a longer one.
    private static let longestPause: Duration = .seconds(300)

    /// The time and nonce captured before the store was read.
    ///
    /// The proof carries them, so that the server can distinguish a late request from a stolen token: a
    /// client that reads the store only after a new token was used never presents the token that was
    /// replaced.
    struct ProofContext: Sendable {
        let time: Timestamp
        let nonce: String?
    }

    /// The result of a request.
    enum Answer: Sendable {
        /// The server issued a new pair.
        case granted(TokenPair)
        /// The server rejected the request because the session has ended; no other answer ends the session.
        case refused
        /// The proof has no valid nonce or is too old: read the store again, and send a new proof.
        case stale
        /// The server gave no verdict because of this error; the session remains active.
        case failed(LatchkeyError)
    }

    /// A pause between requests that the server asked for.
    private struct Pause: Sendable {
        let session: StoredSession
        let error: LatchkeyError

        /// The end of the pause on the monotonic clock.
        let end: Duration
    }

    private struct Memory: Sendable {
        /// The latest DPoP nonce from the server.
        var nonce: String?
        var pause: Pause?
    }

    private let api: IdentityAPI
    private let signer: DeviceSigner
    private let type: AccessTokenType
    private let time: any TimeSource
    private let random: any RandomSource
    private let memory = Locked(Memory())

    /// Creates a client; by default, for bearer tokens.
    init(
        api: IdentityAPI,
        signer: DeviceSigner,
        type: AccessTokenType = .bearer,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.api, self.signer, self.type) = (api, signer, type)
        (self.time, self.random) = (time, random)
    }

    /// Captures the current time and nonce; must be called before the store is read.
    func captureProofContext() -> ProofContext {
        ProofContext(time: time.now, nonce: memory.withLock { $0.nonce })
    }

    /// Requests the next pair.
    ///
    /// During a pause that the server asked for, returns the error that began the pause, without sending a
    /// request.
    ///
    /// - Parameters:
    ///   - stored: The session as it is stored.
    ///   - context: The time and nonce captured before the store was read.
    /// - Returns: The result; the caller decides on the consequences.
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

    /// Begins a pause if the identity server itself, rather than an intermediary such as a proxy, asked for
    /// it.
    private func notePause(_ error: LatchkeyError, of stored: StoredSession) {
        guard case .after(let asked) = error.retry, (error.cause as? ServerRefusal)?.isEnvelope == true else {
            return
        }
        let delay = min(asked, Self.longestPause)
        let end = time.uptime + random.duration(in: delay..<(delay + delay / 4 + .milliseconds(1)))
        memory.withLock { $0.pause = Pause(session: stored, error: error, end: end) }
    }

    /// Requests the next pair with a proof of possession of the device's key.
    private func request(_ stored: StoredSession, with context: ProofContext) async throws(LatchkeyError)
        -> Answer
    {
        let question: TokenRequest =
            switch stored.credential {
            case .sessionToken(let token, nil): .exchange(sessionToken: token)
            case .sessionToken(_, let pair?): .refresh(pair.refresh)
            case .grant(let grant): .refresh(grant.pair.refresh, client: grant.client)
            }
        let proof = try await signer.proof(
            forPostTo: api.tokenURL,
            issuedAt: context.time,
            nonce: context.nonce,
            by: stored.key
        )
        let reply = try await api.tokens(question, type: type, proof: proof)
        if let nonce = reply.nonce { memory.withLock { $0.nonce = nonce } }
        switch reply.outcome {
        case .success(let tokens):
            // A bearer token in place of a bound one would silently remove the protection that the app chose.
            guard type == .bearer || tokens.type == .dpop else {
                throw LatchkeyError(
                    .refused,
                    message: "The identity server issues no access tokens that are bound to the device's key."
                )
            }
            return .granted(
                TokenPair(
                    access: tokens.body.accessToken,
                    refresh: tokens.body.refreshToken,
                    lifespan: .seconds(tokens.body.expiresIn),
                    receivedAt: time.now,
                    isBound: tokens.type == .dpop
                )
            )
        case .failure(let refusal):
            return try await interpret(refusal, for: stored)
        }
    }

    /// Interprets a refusal by the token endpoint; throws an error if it does not show whether the session
    /// has ended.
    private func interpret(
        _ refusal: TokenRefusal,
        for stored: StoredSession
    ) async throws(LatchkeyError) -> Answer {
        switch refusal.code {
        case .useDPoPNonce: return .stale
        case .invalidGrant where stored.pair != nil: return .refused
        case .invalidGrant, .invalidRequest:
            // Only `whoami` can tell whether the session token itself is still valid.
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
