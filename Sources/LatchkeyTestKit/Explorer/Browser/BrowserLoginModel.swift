package import LatchkeyCore

/// Several processes of an app that log in with a browser, their store, and the identity server.
///
/// The processes perform the steps of `BrowserSignIn`, and decide with ``BrowserLoginRules``. All values are bytes, so a
/// state is its own canonical form.
package struct BrowserLoginModel: ExplorerModel {
    /// How far a stored login has come, or `none` if it isn't stored.
    package enum Stage: UInt8, Sendable { case none, waiting, answered, granted, opened }

    /// The next step of a process that completes a login.
    package enum Phase: UInt8, Sendable {
        case idle
        /// The answer has arrived, and the process waits for the lock.
        case locking
        case redeeming, savingGrant, opening, savingSession, checking, committing, removing
        case abandoning, forgetting
    }

    /// How far the withdrawal of a request has come at the server.
    enum Withdrawal: UInt8, Sendable { case none, sent, done, lost }

    /// The state of a process.
    struct Process: Hashable, Sendable {
        var isAlive = true
        /// Whether the interrupted logins were handled since the start.
        var isSettled = false
        /// The login whose page is open and for which the process waits, plus 1, or 0.
        var visiting: UInt8 = 0
        /// The login that the process completes, plus 1, or 0.
        var completing: UInt8 = 0
        var phase = Phase.idle
        /// How far the process knows that the login has come.
        var known = Stage.none
        /// Whether a call of this process waits for the login that it completes.
        var isAwaited = false
        /// Whether the login was interrupted, and is continued by this process.
        var isResumed = false
        /// Whether a sign-out or a newer login has ended the login that the process completes.
        var isVoid = false
        /// Whether a response was lost for the request that the process repeats.
        var hasLost = false
    }

    /// The state of a login in a browser.
    struct Login: Hashable, Sendable {
        var stage = Stage.none
        /// The session that the login replaces, or 0.
        var former: UInt8 = 0
        /// How far the login has come that waits for its revocation.
        var revocation = Stage.none
        var hasBegun = false
        /// Whether the user has logged in on the page, so that there is a redirect.
        var isAnswered = false
        /// Whether the code was redeemed at the server.
        var isRedeemed = false
        /// Whether the grant can be exchanged at the server.
        var hasGrant = false
        var hasSession = false
        /// Whether the session was used, so that its token isn't issued again.
        var isUsed = false
        /// Whether the login has ended while the page was open, because the user has signed out or dismissed it, or
        /// because a newer request has replaced it.
        var isOutdated = false
        /// Whether another app answers the request, and not a page.
        var isHandedOver = false
        /// Whether the redirect is a refusal.
        var isRefused = false
        /// Whether a process has read the refusal.
        var isRefusalRead = false
        var isDismissed = false
        var isExpired = false
        var withdrawal = Withdrawal.none
        /// The process that withdraws the request.
        var withdrawing: UInt8 = 0
    }

    package private(set) var budget: BrowserLoginBounds
    var processes: [Process]
    var logins: [Login]
    /// The session in the store: 0, or the number of a login plus 1, or 15 for one without a browser.
    var held: UInt8 = 0
    /// The process that holds the lock for completions, plus 1, or 0.
    var lockHolder: UInt8 = 0

    package static let shipped = BrowserLoginReducer()
    /// The number of the session of a login without a browser.
    static let otherSession: UInt8 = 15

    package init(_ bounds: BrowserLoginBounds) {
        budget = bounds
        processes = Array(repeating: Process(), count: bounds.processes)
        logins = Array(repeating: Login(), count: bounds.callers)
    }

    mutating func spend(_ bound: WritableKeyPath<BrowserLoginBounds, UInt8>) {
        BrowserLoginBounds.decrement(&budget[keyPath: bound])
    }

    // MARK: The canonical form

    package static func makeEncoder(_ bounds: BrowserLoginBounds) {}

    package func canonical(_ encoder: inout Void) -> [UInt8] {
        var bytes = [held, lockHolder]
        for process in processes {
            bytes.append(
                Self.bits([
                    process.isAlive, process.isSettled, process.isAwaited, process.isResumed, process.isVoid,
                    process.hasLost,
                ])
            )
            bytes += [process.visiting, process.completing, process.phase.rawValue, process.known.rawValue]
        }
        for login in logins {
            bytes += [login.stage.rawValue, login.former, login.revocation.rawValue]
            bytes.append(
                Self.bits([
                    login.hasBegun, login.isAnswered, login.isRedeemed, login.hasGrant, login.hasSession,
                    login.isUsed, login.isOutdated, login.isHandedOver,
                ])
            )
            bytes.append(
                Self.bits([login.isRefused, login.isRefusalRead, login.isDismissed, login.isExpired])
            )
            bytes += [login.withdrawal.rawValue, login.withdrawing]
        }
        return bytes
    }

    package init(canonical form: ArraySlice<UInt8>, budget: BrowserLoginBounds) {
        self.init(budget)
        var bytes = Array(form.reversed())
        func next() -> UInt8 { bytes.popLast() ?? 0 }
        (held, lockHolder) = (next(), next())
        for number in processes.indices {
            let bits = next()
            processes[number] = Process(
                isAlive: bits & 1 != 0,
                isSettled: bits & 2 != 0,
                visiting: next(),
                completing: next(),
                phase: Phase(rawValue: next()) ?? .idle,
                known: Stage(rawValue: next()) ?? .none,
                isAwaited: bits & 4 != 0,
                isResumed: bits & 8 != 0,
                isVoid: bits & 16 != 0,
                hasLost: bits & 32 != 0
            )
        }
        for number in logins.indices {
            let (stage, former, revocation, bits, more) = (next(), next(), next(), next(), next())
            logins[number] = Login(
                stage: Stage(rawValue: stage) ?? .none,
                former: former,
                revocation: Stage(rawValue: revocation) ?? .none,
                hasBegun: bits & 1 != 0,
                isAnswered: bits & 2 != 0,
                isRedeemed: bits & 4 != 0,
                hasGrant: bits & 8 != 0,
                hasSession: bits & 16 != 0,
                isUsed: bits & 32 != 0,
                isOutdated: bits & 64 != 0,
                isHandedOver: bits & 128 != 0,
                isRefused: more & 1 != 0,
                isRefusalRead: more & 2 != 0,
                isDismissed: more & 4 != 0,
                isExpired: more & 8 != 0,
                withdrawal: Withdrawal(rawValue: next()) ?? .none,
                withdrawing: next()
            )
        }
    }

    private static func bits(_ flags: [Bool]) -> UInt8 {
        flags.enumerated().reduce(0) { $1.element ? $0 | 1 << UInt8($1.offset) : $0 }
    }
}

/// The decisions of the processes, each of which a mutant can change.
package struct BrowserLoginReducer: Sendable {
    package typealias Standing = BrowserLoginRules.Standing

    /// Whether an answer that no call waits for completes its login.
    package var accepts: @Sendable (Standing, Bool) -> Bool = {
        BrowserLoginRules.accepts($0, isAttempting: $1)
    }
    /// The next step for an interrupted login.
    package var continuation: @Sendable (Standing, Bool, Bool) -> BrowserLoginRules.Resumption = {
        BrowserLoginRules.continuation($0, isGivenUp: $1, isAttempting: $2)
    }
    /// Whether one process at a time completes logins.
    package var locks = true
    /// Whether an answer counts only for a login that is still in the browser.
    package var countsOnce = true
    /// Whether the session's token is stored before it is used.
    package var savesSession = true
    /// Whether a login that can't be completed is revoked.
    package var revokes = true
    /// Whether the revocation is stored before the login is forgotten.
    package var revokesFirst = true
    /// Whether a sign-out removes the logins in the browser.
    package var clearsAtSignOut = true
    /// Whether a login that a sign-out or a newer login has ended is given up before its session is stored.
    package var checksAttempt = true

    /// Whether a login that no call waits for is compared with the session once more before it is stored.
    package var checksStanding = true
    /// Whether a process looks for interrupted logins after its start.
    package var continues = true
    /// Whether a dismissal removes the stored login.
    package var forgetsDismissed = true
    /// Whether a dismissal withdraws the request at the server.
    package var withdraws = true
    /// Whether a new request to another app removes those that wait at its redirect URI.
    package var replacesWaiting = true
    /// Whether an answer after the expiry of a login has no effect.
    package var heedsExpiry = true
    /// Whether a refusal ends its login, and doesn't continue it.
    package var heedsRefusal = true
    /// Whether a refusal removes the stored login.
    package var forgetsRefused = true

    package init() {}
}

/// A violation of an invariant of logins in a browser.
package enum BrowserLoginViolation: String, Error, Sendable, CaseIterable {
    /// A session or a grant is left at the server without an owner.
    case leftBehind
    /// A login that was pending at a sign-out, or whose attempt has ended, was completed.
    case revived
    /// A login that no call waits for has replaced a session that the user created meanwhile.
    case replaced
    /// The session in the store was ended at the server although the user hasn't signed out.
    case ended
    /// A process has ended the grant or session of a login that another process completes.
    case disturbed
    /// A login is neither completed nor given up, although no process works on it.
    case halfway
    /// A redirect has cancelled a login that the user is performing.
    case cancelled
    /// A login was completed after it had expired.
    case late
    /// A login that the user has refused was continued.
    case refused
    /// A login that the user has dismissed or refused is still stored.
    case kept
    /// The user could approve a request that the app has dismissed.
    case misled

    /// A description of the violation.
    package var text: String {
        switch self {
        case .leftBehind: "A session or a grant is left at the server without an owner."
        case .revived: "A login was completed although a sign-out, a dismissal or a newer login had ended it."
        case .replaced: "A late login has replaced a session that the user created meanwhile."
        case .ended: "The session in the store was ended although the user hasn't signed out."
        case .disturbed: "A process has ended what another process needs to complete a login."
        case .halfway: "A login is neither completed nor given up."
        case .cancelled: "A redirect has cancelled a login that the user is performing."
        case .late: "A login was completed after it had expired."
        case .refused: "A login that the user has refused was continued."
        case .kept: "A login that the user has dismissed or refused is still stored."
        case .misled: "The user could approve a request that the app has dismissed."
        }
    }
}
