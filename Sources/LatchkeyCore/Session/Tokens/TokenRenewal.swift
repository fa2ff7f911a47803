import LatchkeyModel
import LatchkeyWire

/// Gets the next token pair of a session from the identity server: by its refresh token, or by its own token when there
/// is no pair yet.
struct TokenRenewal: Sendable {
    /// The longest time without questions, whatever the server asks for.
    private static let longestPause: Duration = .seconds(300)

    /// What stood fast when the store was looked at.
    ///
    /// A proof says so, and the server can tell a question that comes too late from a token that was stolen: nobody who
    /// looked at the store after the successor was used shows the one before it.
    struct Look: Sendable {
        let time: Timestamp
        let nonce: String?
    }

    /// What came of a question.
    enum Answer: Sendable {
        case granted(TokenPair)
        /// The session is over; no other answer says so.
        case refused
        /// The proof cannot be judged, or is too old: look again, and ask anew.
        case stale
        case failed(LatchkeyError)
    }

    /// A time without questions that the server has asked for.
    private struct Pause: Sendable {
        let session: StoredSession
        let error: LatchkeyError

        /// The end on the monotonic clock.
        let end: Duration
    }

    private struct Memory: Sendable {
        /// The latest that the server gave.
        var nonce: String?
        var pause: Pause?
    }

    private let api: IdentityAPI
    private let signer: DeviceSigner
    private let time: any TimeSource
    private let random: any RandomSource
    private let memory = Locked(Memory())

    init(api: IdentityAPI, signer: DeviceSigner, time: any TimeSource, random: any RandomSource) {
        (self.api, self.signer, self.time, self.random) = (api, signer, time, random)
    }

    /// What stands fast now; to be asked before the store is looked at.
    func look() -> Look {
        Look(time: time.now, nonce: memory.withLock { $0.nonce })
    }

    /// Asks for the next pair.
    ///
    /// - Parameters:
    ///   - stored: The session as the store has it.
    ///   - look: What stood fast when the store was looked at.
    /// - Returns: What came of it; nothing is decided here.
    func renew(_ stored: StoredSession, _ look: Look) async -> Answer {
        if let pause = memory.withLock({ $0.pause }), pause.session.isSameLogin(as: stored),
            time.uptime < pause.end
        {
            return .failed(pause.error)
        }
        do throws(LatchkeyError) {
            return try await ask(stored, look)
        } catch {
            notePause(error, of: stored)
            return .failed(error)
        }
    }

    /// Keeps a pause if the identity server itself has asked for it, and not something before it.
    private func notePause(_ error: LatchkeyError, of stored: StoredSession) {
        guard case .after(let asked) = error.retry, (error.cause as? ServerRefusal)?.isEnvelope == true else {
            return
        }
        let delay = min(asked, Self.longestPause)
        let end = time.uptime + random.duration(in: delay..<(delay + delay / 4 + .milliseconds(1)))
        memory.withLock { $0.pause = Pause(session: stored, error: error, end: end) }
    }

    private func ask(_ stored: StoredSession, _ look: Look) async throws(LatchkeyError) -> Answer {
        let question: TokenRequest =
            stored.pair.map { .refresh($0.refresh) }
            ?? .exchange(
                sessionToken: stored.token
            )
        let proof = try await signer.proof(
            forPostTo: api.tokenURL,
            issuedAt: look.time,
            nonce: look.nonce,
            by: stored.key
        )
        let reply = try await api.tokens(question, proof: proof)
        if let nonce = reply.nonce { memory.withLock { $0.nonce = nonce } }
        switch reply.outcome {
        case .success(let body):
            return .granted(
                TokenPair(
                    access: body.accessToken,
                    refresh: body.refreshToken,
                    lifespan: .seconds(body.expiresIn),
                    receivedAt: time.now
                )
            )
        case .failure(let refusal):
            return try await judge(refusal, stored)
        }
    }

    private func judge(
        _ refusal: TokenRefusal,
        _ stored: StoredSession
    ) async throws(LatchkeyError) -> Answer {
        switch refusal.code {
        case .useDPoPNonce: return .stale
        case .invalidGrant where stored.pair != nil: return .refused
        case .invalidGrant, .invalidRequest:
            // Whether the session's own token is over is said at one place alone.
            do throws(LatchkeyError) {
                _ = try await api.whoami(stored.token)
            } catch  where error.code == .sessionEnded {
                return .refused
            }
        default: break
        }
        throw LatchkeyError(.refused, refusal.description, cause: refusal)
    }
}
