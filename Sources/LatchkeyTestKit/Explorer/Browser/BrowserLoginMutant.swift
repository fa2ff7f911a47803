import LatchkeyCore

/// The processes' decisions with one deliberate mistake, for testing the explorer.
package struct BrowserLoginMutant: Sendable {
    /// A description of the mistake.
    package let mistake: String
    /// The violation that the explorer finds first.
    package let breaks: BrowserLoginViolation
    /// The bounds within which the violation occurs.
    package let space: BrowserLoginBounds
    /// The decisions with the mistake.
    package let reducer: BrowserLoginReducer

    private init(
        mistake: String,
        breaks: BrowserLoginViolation,
        space: BrowserLoginBounds,
        _ change: (inout BrowserLoginReducer) -> Void
    ) {
        (self.mistake, self.breaks, self.space) = (mistake, breaks, space)
        var reducer = BrowserLoginReducer()
        change(&reducer)
        self.reducer = reducer
    }

    private static let one = BrowserLoginBounds(processes: 1, callers: 1)
    private static let two = BrowserLoginBounds(processes: 2, callers: 1)
    private static let handedOver = one.setting(\.handOffs, to: 1)

    /// All mutants.
    ///
    /// Together, the mutants violate every invariant.
    package static let all: [BrowserLoginMutant] = [
        BrowserLoginMutant(
            mistake: "forgets a login that can't be completed",
            breaks: .leftBehind,
            space: one.setting(\.signOuts, to: 1)
        ) { $0.revokes = false },
        BrowserLoginMutant(
            mistake: "forgets a login before its revocation is stored",
            breaks: .leftBehind,
            space: one.setting(\.otherLogins, to: 1).setting(\.crashes, to: 1)
        ) { $0.revokesFirst = false },
        BrowserLoginMutant(
            mistake: "uses a session before its token is stored",
            breaks: .leftBehind,
            space: one.setting(\.crashes, to: 1)
        ) { $0.savesSession = false },
        BrowserLoginMutant(
            mistake: "keeps the logins in the browser after a sign-out",
            breaks: .revived,
            space: one.setting(\.signOuts, to: 1).setting(\.crashes, to: 1)
        ) { $0.clearsAtSignOut = false },
        BrowserLoginMutant(
            mistake: "stores the session of a login that a sign-out has ended",
            breaks: .revived,
            space: one.setting(\.signOuts, to: 1)
        ) { $0.checksAttempt = false },
        BrowserLoginMutant(
            mistake: "replaces a newer session with a late answer",
            breaks: .replaced,
            space: one.setting(\.otherLogins, to: 1).setting(\.crashes, to: 1)
        ) {
            $0.accepts = { _, isAttempting in !isAttempting }
            $0.checksStanding = false
        },
        BrowserLoginMutant(
            mistake: "does not compare the session once more before it is stored",
            breaks: .replaced,
            space: two.setting(\.otherLogins, to: 1).setting(\.crashes, to: 1)
        ) { $0.checksStanding = false },
        BrowserLoginMutant(
            mistake: "revokes a login whose session was stored just before the interruption",
            breaks: .ended,
            space: one.setting(\.crashes, to: 1)
        ) {
            $0.continuation = { standing, isGivenUp, isAttempting in
                standing == .own
                    ? .abandon
                    : BrowserLoginRules.continuation(
                        standing,
                        isGivenUp: isGivenUp,
                        isAttempting: isAttempting
                    )
            }
        },
        BrowserLoginMutant(
            mistake: "completes a login that is being revoked",
            breaks: .ended,
            space: one.setting(\.losses, to: 2).setting(\.crashes, to: 1)
        ) {
            $0.continuation = {
                BrowserLoginRules.continuation($0, isGivenUp: false, isAttempting: $2)
            }
        },
        BrowserLoginMutant(
            mistake: "continues a login that another process is completing",
            breaks: .disturbed,
            space: two
        ) { $0.locks = false },
        BrowserLoginMutant(
            mistake: "accepts an answer twice",
            breaks: .disturbed,
            space: two.setting(\.requests, to: 2)
        ) {
            $0.countsOnce = false
            $0.locks = false
        },
        BrowserLoginMutant(
            mistake: "does not look for interrupted logins",
            breaks: .halfway,
            space: one.setting(\.crashes, to: 1)
        ) { $0.continues = false },
        BrowserLoginMutant(
            mistake: "completes a late answer although the user is logging in",
            breaks: .cancelled,
            space: BrowserLoginBounds(processes: 1, callers: 2).setting(\.crashes, to: 1)
        ) { $0.accepts = { standing, _ in standing == .unchanged } },
        BrowserLoginMutant(
            mistake: "keeps a login that the user has dismissed",
            breaks: .kept,
            space: handedOver.setting(\.dismissals, to: 1)
        ) { $0.forgetsDismissed = false },
        BrowserLoginMutant(
            mistake: "does not withdraw a request that the user has dismissed",
            breaks: .misled,
            space: handedOver.setting(\.dismissals, to: 1)
        ) { $0.withdraws = false },
        BrowserLoginMutant(
            mistake: "accepts the answer to a request that a newer one has replaced",
            breaks: .revived,
            space: BrowserLoginBounds(processes: 2, callers: 2).setting(\.handOffs, to: 2)
        ) { $0.replacesWaiting = false },
        BrowserLoginMutant(
            mistake: "accepts the answer to a login that has expired",
            breaks: .late,
            space: handedOver.setting(\.expiries, to: 1).setting(\.crashes, to: 1)
        ) { $0.heedsExpiry = false },
        BrowserLoginMutant(
            mistake: "continues a login that the user has refused",
            breaks: .refused,
            space: handedOver.setting(\.refusals, to: 1)
        ) { $0.heedsRefusal = false },
        BrowserLoginMutant(
            mistake: "keeps a login that the user has refused",
            breaks: .kept,
            space: handedOver.setting(\.refusals, to: 1)
        ) { $0.forgetsRefused = false },
    ]
}
