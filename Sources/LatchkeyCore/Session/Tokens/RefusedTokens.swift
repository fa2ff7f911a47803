import LatchkeyModel

/// A record of the access tokens that the app's servers rejected before they expired.
///
/// A rejected token is refreshed once, and the request is repeated. If a server also rejects the new token,
/// the rejection has another cause; further requests to that server do not trigger a refresh until a pause
/// has passed. The pause doubles each time.
final class RefusedTokens: Sendable {
    /// The reaction to a response with status 401.
    enum Advice {
        /// Get a fresher token, which another request may already be waiting for, and repeat the request.
        case refresh

        /// Return the response to the app.
        case accept

        /// Throw the error that prevented getting a fresher token.
        case fail(LatchkeyError)
    }

    private struct Refusal {
        /// The version of the credentials whose token was rejected.
        var version: UInt32
        var pause = Backoff()

        /// The error that prevented getting a fresher token.
        var failure: LatchkeyError?
        var failurePause = Backoff(first: .seconds(5), longest: .seconds(300))
    }

    private struct State {
        var login: UInt32?
        var refusals: [String: Refusal] = [:]
    }

    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Locked(State())

    init(time: any TimeSource, random: any RandomSource) {
        (self.time, self.random) = (time, random)
    }

    /// Records that a server rejected a session's token, and returns how to react.
    ///
    /// This discards the refusals recorded for another login.
    ///
    /// - Parameters:
    ///   - session: The session with the rejected token.
    ///   - origin: The origin of the server; each origin has its own pause.
    /// - Returns: The reaction to the response.
    func advice(on session: HeldSession, refusedBy origin: String) -> Advice {
        state.withLock { state in
            if state.login != session.handle.login {
                (state.login, state.refusals) = (session.handle.login, [:])
            }
            let uptime = time.uptime
            if let refusal = state.refusals[origin], !refusal.pause.allows(at: uptime) {
                guard refusal.version == session.handle.version else { return .accept }
                guard let failure = refusal.failure, !refusal.failurePause.allows(at: uptime) else {
                    return .refresh
                }
                return .fail(failure)
            }
            var refusal = state.refusals[origin] ?? Refusal(version: session.handle.version)
            (refusal.version, refusal.failure) = (session.handle.version, nil)
            refusal.pause.fail(at: uptime, random: random)
            state.refusals[origin] = refusal
            return .refresh
        }
    }

    /// Returns whether a server has rejected a session's current token.
    func isRefused(_ session: HeldSession, by origin: String) -> Bool {
        state.withLock { state in
            state.login == session.handle.login && state.refusals[origin]?.version == session.handle.version
        }
    }

    /// Records that no fresher token was available.
    ///
    /// For 5 seconds at first, and for up to 5 minutes after consecutive failures, requests with the same
    /// token fail with the same error.
    ///
    /// - Parameters:
    ///   - session: The session with the rejected token.
    ///   - origin: The origin that rejected it.
    ///   - error: The error of the refresh.
    func fail(_ session: HeldSession, at origin: String, with error: LatchkeyError) {
        state.withLock { state in
            guard state.login == session.handle.login,
                state.refusals[origin]?.version == session.handle.version
            else { return }
            state.refusals[origin]?.failure = error
            state.refusals[origin]?.failurePause.fail(at: time.uptime, random: random)
        }
    }

    /// Records that a server accepted a fresher token, which ends the pause for that server.
    func forget(_ session: HeldSession, at origin: String) {
        state.withLock { state in
            guard state.login == session.handle.login else { return }
            state.refusals[origin] = nil
        }
    }
}
