import LatchkeyModel

/// Keeps track of access tokens that the app's servers have rejected before they expired.
///
/// When a token is rejected, it is refreshed once and the request is repeated. If the server also rejects the
/// new token, something else is wrong. Requests to that server then don't trigger another refresh for a
/// while. The delay doubles each time.
final class RefusedTokens: Sendable {
    /// Advice on how to react to a response with status 401.
    enum Advice {
        /// Refresh the token, or wait for a refresh that another request has started, and repeat the request.
        case refresh

        /// Return the response to the app.
        case accept

        /// Throw the error that caused the refresh to fail.
        case fail(LatchkeyError)
    }

    private struct Refusal {
        /// The version of the credentials that contained the rejected token.
        var version: UInt32
        var pause = Backoff()

        /// The error that caused the refresh to fail, if any.
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

    /// Records that a server rejected a session's token, and returns advice on how to continue.
    ///
    /// If the session belongs to another login, all earlier rejections are discarded.
    ///
    /// - Parameters:
    ///   - session: The session with the rejected token.
    ///   - origin: The server's origin. Delays are tracked separately for each origin.
    /// - Returns: The advice for the caller that sent the request.
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

    /// Records that the token could not be refreshed.
    ///
    /// For a while, requests with the same token fail with the same error. The delay is 5 seconds at first,
    /// and up to 5 minutes after repeated failures.
    ///
    /// - Parameters:
    ///   - session: The session with the rejected token.
    ///   - origin: The origin that rejected the session.
    ///   - error: The error that caused the refresh to fail.
    func fail(_ session: HeldSession, at origin: String, with error: LatchkeyError) {
        state.withLock { state in
            guard state.login == session.handle.login,
                state.refusals[origin]?.version == session.handle.version
            else { return }
            state.refusals[origin]?.failure = error
            state.refusals[origin]?.failurePause.fail(at: time.uptime, random: random)
        }
    }

    /// Records that a server accepted a newer token.
    ///
    /// Requests to that server can trigger a refresh again.
    func forget(_ session: HeldSession, at origin: String) {
        state.withLock { state in
            guard state.login == session.handle.login else { return }
            state.refusals[origin] = nil
        }
    }
}
