import LatchkeyModel

/// The access tokens that the app's servers have refused before their time.
///
/// A refused token is refreshed once, and the request sent again. A server that refuses the successor, too, does not
/// judge the token but something else; it gets no more refreshes until a pause is over, which doubles each time.
final class RefusedTokens: Sendable {
    /// What to do about an answer of 401.
    enum Advice {
        /// Get a fresher token, which another request may be doing already, and send the request again.
        case refresh

        /// Pass the answer on.
        case accept

        /// Report why there is no fresher token.
        case fail(LatchkeyError)
    }

    private struct Refusal {
        /// The version of the refused token.
        var version: UInt32
        var pause = Backoff()

        /// Why there is no fresher token.
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

    /// Takes in that a server has refused the token of a session.
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

    /// Takes in that no fresher token could be had; for a few seconds, requests with the same token fail alike.
    func fail(_ session: HeldSession, at origin: String, with error: LatchkeyError) {
        state.withLock { state in
            guard state.login == session.handle.login,
                state.refusals[origin]?.version == session.handle.version
            else { return }
            state.refusals[origin]?.failure = error
            state.refusals[origin]?.failurePause.fail(at: time.uptime, random: random)
        }
    }

    /// Takes in that a server has accepted a fresher token.
    func forget(_ session: HeldSession, at origin: String) {
        state.withLock { state in
            guard state.login == session.handle.login else { return }
            state.refusals[origin] = nil
        }
    }
}
