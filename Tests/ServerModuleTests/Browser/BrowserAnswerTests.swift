import LatchkeyAccounts
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService
@testable import LatchkeyServerKit

/// Every situation and both formats, one row each.
@Suite struct `Answers to browsers` {
    private static let id = Identifier(high: 1, low: 2)
    private static let other = Identifier(high: 3, low: 4)
    private static let app = "https://app.example.com/in"

    private static let request = Identifier(high: 5, low: 6)

    private static func flow(
        _ kind: FlowKind,
        _ id: Identifier = id,
        returnTo: String? = nil,
        challenge: Identifier? = nil
    ) -> Flow {
        Flow(
            id: id,
            kind: kind,
            parameters: FlowParameters(
                type: .browser,
                schemaID: "person",
                requestURL: "",
                returnTo: returnTo,
                loginChallenge: challenge
            ),
            issuedAt: Timestamp(seconds: 1_800_000_000),
            lifespan: .seconds(600)
        )
    }

    /// A flow with a return URL that belongs to an authorization request, which goes before the URL.
    private static func asked(_ kind: FlowKind) -> Flow { flow(kind, returnTo: app, challenge: request) }

    private static let verification = ContinueWith.verification(flow: other, address: "a@example.org")

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let outcome: FlowOutcome
        let page: BrowserAnswer
        let json: BrowserAnswer

        init(_ name: String, _ outcome: FlowOutcome, page: BrowserAnswer, json: BrowserAnswer) {
            testDescription = name
            (self.outcome, self.page, self.json) = (outcome, page, json)
        }
    }

    private static let replacement = FlowReplacement(flow: flow(.login, other), now: .init(seconds: 0))

    private static let rows = [
        Row("shown", .shown(flow(.login)), page: .page(.login, id), json: .body(status: 200)),
        Row(
            "a change that waits for a verification",
            .shown(flow(.settings), then: [verification]),
            page: .page(.verification, other),
            json: .body(status: 200)
        ),
        Row("a login waits", .waiting(flow(.login)), page: .page(.login, id), json: .body(status: 400)),
        Row(
            "a registration waits",
            .waiting(flow(.registration)),
            page: .page(.registration, id),
            json: .body(status: 400)
        ),
        Row(
            "a recovery waits",
            .waiting(flow(.recovery)),
            page: .page(.recovery, id),
            json: .body(status: 200)
        ),
        Row(
            "a verification waits",
            .waiting(flow(.verification)),
            page: .page(.verification, id),
            json: .body(status: 200)
        ),
        Row("refused", .refused(flow(.settings)), page: .page(.settings, id), json: .body(status: 400)),
        Row(
            "settings saved",
            .passed(flow(.settings), by: nil),
            page: .page(.settings, id),
            json: .body(status: 200)
        ),
        Row(
            "settings saved with a return URL",
            .passed(flow(.settings, returnTo: app), by: nil),
            page: .leave(to: app),
            json: .body(status: 200)
        ),
        Row(
            "verified with a return URL",
            .passed(flow(.verification, returnTo: app), by: nil),
            page: .page(.verification, id),
            json: .body(status: 200)
        ),
        Row(
            "already logged in",
            .alreadyLoggedIn(flow(.login, returnTo: app)),
            page: .leave(to: app),
            json: .body(status: 400)
        ),
        Row("expired", .expired(replacement), page: .page(.login, other), json: .envelope),
        Row("replaced", .replaced(replacement), page: .page(.login, other), json: .envelope),
        Row("moved", .moved(to: flow(.verification)), page: .page(.verification, id), json: .envelope),
        Row(
            "guesses used up",
            .guessesUsedUp(replacement: flow(.recovery)),
            page: .page(.recovery, id),
            json: .envelope
        ),
        Row(
            "unverified",
            .unverified(flow(.login), continuation: [verification]),
            page: .page(.verification, other),
            json: .envelope
        ),
        Row(
            "unverified, and no code can be sent",
            .unverified(flow(.login), continuation: []),
            page: .errorPage,
            json: .envelope
        ),
        Row(
            "the login is too old",
            .refreshRequired(flow(.settings)),
            page: .reauthenticate(.settings, id),
            json: .envelope
        ),
    ]

    private static let requestRows = [
        Row(
            "shown for a request",
            .shown(asked(.login)),
            page: .page(.login, id),
            json: .body(status: 200)
        ),
        Row(
            "a login for a request waits",
            .waiting(asked(.login)),
            page: .page(.login, id),
            json: .body(status: 400)
        ),
        Row(
            "a change for a request that waits for a verification",
            .shown(asked(.settings), then: [verification]),
            page: .page(.verification, other),
            json: .body(status: 200)
        ),
        Row(
            "settings saved for a request",
            .passed(asked(.settings), by: nil),
            page: .authorize(request),
            json: .body(status: 200)
        ),
        Row(
            "verified for a request",
            .passed(asked(.verification), by: nil),
            page: .authorize(request),
            json: .body(status: 200)
        ),
        Row(
            "verified for a request in another browser",
            .passed(
                asked(.verification).opened(by: BrowserLink(page: other, flow: id, code: code)),
                by: nil
            ),
            page: .page(.verification, other),
            json: .body(status: 200)
        ),
        Row(
            "a verification waits in another browser",
            .refused(asked(.verification).opened(by: BrowserLink(page: other, flow: id, code: code))),
            page: .page(.verification, other),
            json: .body(status: 400)
        ),
        Row(
            "verified for a request with the mailed link",
            .passed(asked(.verification).opened(by: BrowserLink(page: id, flow: id, code: code)), by: nil),
            page: .authorize(request),
            json: .body(status: 200)
        ),
        Row(
            "submitted again for a request",
            .continued(asked(.login)),
            page: .authorize(request),
            json: .body(status: 400)
        ),
        Row(
            "a login for a request needs a verified address",
            .unverified(asked(.login), continuation: [verification]),
            page: .page(.verification, other),
            json: .envelope
        ),
        Row(
            "a change for a request needs a new login",
            .refreshRequired(asked(.settings)),
            page: .reauthenticate(.settings, id),
            json: .envelope
        ),
    ]
    private static let code = OneTimeCode("123456") ?? OneTimeCode(random: SeededRandom(seed: 1))

    @Test(arguments: rows + requestRows) func `An outcome has one answer in each format`(row: Row) {
        for step in [FlowExchange.Step.start, .submission] {
            #expect(BrowserAnswer(to: row.outcome, at: step, in: .page) == row.page)
            #expect(BrowserAnswer(to: row.outcome, at: step, in: .json) == row.json)
        }
        // Reading a flow is always answered with JSON, and the address of a form always leads to its page.
        for format in ResponseFormat.allCases {
            #expect(BrowserAnswer(to: row.outcome, at: .show, in: format) == .body(status: 200))
            #expect(BrowserAnswer(to: row.outcome, at: .open, in: format) == row.page)
        }
        // An envelope needs an error.
        let urls = ServerURLs(base: "https://id.example.com", basePath: "/a")
        #expect((row.outcome.error(urls: urls) != nil) == (row.json == .envelope))
    }

    @Test(
        arguments: [
            (.sessionAlreadyAvailable, .login, .leave(to: app)),
            (.sessionInactive, .settings, .login(returnTo: app)), (.sessionInactive, .login, .errorPage),
            (.csrfViolation, .login, .errorPage), (.returnToForbidden, .verification, .errorPage),
            (.identityMismatch, .settings, .errorPage), (.tooManyRequests, .login, .errorPage),
            (nil, .recovery, .errorPage),
        ] as [(ErrorID?, FlowKind, BrowserAnswer)]
    )
    func `An error has one answer in each format`(id: ErrorID?, kind: FlowKind, page: BrowserAnswer) {
        let error = ServerError(400, id: id)
        for step in FlowExchange.Step.allCases {
            for format in ResponseFormat.allCases {
                let answer = BrowserAnswer(to: error, about: kind, at: step, in: format, returnTo: Self.app)
                #expect(answer == (format == .page && step != .show ? page : .envelope))
            }
        }
    }

    @Test(
        arguments: [
            (ServerError(401, id: .sessionInactive), .settings, .authorize(request)),
            (ServerError(401, id: .sessionInactive), .login, .errorPage),
            (.earlierFlow(continuingAt: app), .login, .leave(to: app)),
            (.csrfViolation, .login, .errorPage), (.loginChallengeInvalid, .login, .errorPage),
            (ServerError(403, id: .identityMismatch), .settings, .errorPage),
        ] as [(ServerError, FlowKind, BrowserAnswer)]
    )
    func `An error about a flow for a request has one answer in each format`(
        error: ServerError,
        kind: FlowKind,
        page: BrowserAnswer
    ) {
        for step in FlowExchange.Step.allCases {
            for format in ResponseFormat.allCases {
                let answer = BrowserAnswer(
                    to: error,
                    about: kind,
                    at: step,
                    in: format,
                    returnTo: nil,
                    challenge: Self.request
                )
                #expect(answer == (format == .page && step != .show ? page : .envelope))
            }
        }
    }

    @Test(arguments: BrowserError.allCases)
    func `The id of an error contains it`(error: BrowserError) throws {
        let errors = BrowserErrors(
            secrets: ServerSecrets(signing: [UInt8](repeating: 1, count: 32)),
            random: SeededRandom(seed: 5)
        )
        let now = Timestamp(seconds: 1_800_000_000)
        let id = errors.id(for: error, at: now)
        let found = try #require(errors.error(id))
        #expect(found.error == error)
        #expect(found.at == now)
        #expect(BrowserError(error.error) == error)
        #expect(found.retryAfter == nil)
        #expect(errors.id(for: error, at: now) != id)
        for (wait, shown) in [(1, 1), (30, 30), (86_400, 86_400), (.max, 1 << 17 - 1), (-1, nil)] {
            let delayed = errors.error(errors.id(for: error, retryAfter: wait, at: now))
            #expect(delayed?.error == error)
            #expect(delayed?.retryAfter == shown)
        }
        let others = BrowserErrors(
            secrets: ServerSecrets(signing: [UInt8](repeating: 2, count: 32)),
            random: SeededRandom(seed: 5)
        )
        #expect(others.error(id) == nil)
        for bit in 0..<64 {
            #expect(errors.error(Identifier(high: id.high ^ 1 << UInt64(bit), low: id.low)) == nil)
            #expect(errors.error(Identifier(high: id.high, low: id.low ^ 1 << UInt64(bit))) == nil)
        }
    }

    @Test func `The time to wait runs out while the user reads about it`() {
        let now = Timestamp(seconds: 1_800_000_000)
        let found = BrowserErrors.Found(error: .tooManyRequests, at: now, retryAfter: 30)
        let rows: [(Duration, Int)] = [
            (.zero, 30), (.seconds(1), 29), (.milliseconds(1500), 29), (.seconds(30), 0), (.seconds(90), 0),
            (.seconds(-90), 30),
        ]
        for (later, left) in rows { #expect(found.wait(at: now + later) == left) }
        #expect(BrowserErrors.Found(error: .failed, at: now, retryAfter: nil).wait(at: now) == nil)
    }

    @Test func `The address of a logout is valid for its session only, also after a new secret`() {
        let (old, new) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let before = LogoutToken(secrets: ServerSecrets(signing: old))
        let after = LogoutToken(secrets: ServerSecrets(signing: new, older: [old]))
        let token = before.token(for: Self.id)
        #expect(after.isValid(token, for: Self.id))
        #expect(!after.isValid(token, for: Self.other))
        #expect(!LogoutToken(secrets: ServerSecrets(signing: new)).isValid(token, for: Self.id))
        for forged in ["", "lk_lo_", String(token.dropLast()), String(token.dropFirst(6)), token + "A"] {
            #expect(!after.isValid(forged, for: Self.id))
        }
    }
}
