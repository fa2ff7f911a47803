import LatchkeyAccounts
import LatchkeyModel
import Testing

@testable import LatchkeyOAuth

@Suite("Decisions about authorization requests")
struct AuthorizationDecisionTests {
    private static let user = Identifier()
    private static let other = Identifier()
    private static let start = Timestamp(seconds: 1_000_000)

    /// Facts about a third party's request over https, whose user has logged in an hour before.
    private static func facts(
        _ change: (inout AuthorizationDecision.Facts) -> Void = { _ in }
    ) -> AuthorizationDecision.Facts {
        var facts = AuthorizationDecision.Facts(
            requestedAt: start,
            now: start + .seconds(60),
            consent: ConsentQuestion.Facts(redirect: .https)
        )
        facts.session = AuthorizationDecision.SessionFacts(
            identity: user,
            authenticatedAt: start - .seconds(3600)
        )
        facts.consent.isRemembered = true
        change(&facts)
        return facts
    }

    private static func loggedIn(_ facts: inout AuthorizationDecision.Facts) {
        facts.session?.authenticatedAt = start
    }

    private static func trustedApp(_ facts: inout AuthorizationDecision.Facts) {
        facts.consent.redirect = .privateUse
        facts.consent.skipsConsent = true
    }

    static let rows: [(String, AuthorizationDecision.Facts, AuthorizationDecision)] = [
        ("remembered", facts(), .grant),
        ("no session", facts { $0.session = nil }, .logIn(isRefresh: false)),
        (
            "no session, create",
            facts {
                $0.session = nil
                $0.prompts = [.create]
            }, .signUp
        ),
        ("create while logged in", facts { $0.prompts = [.create] }, .signUp),
        (
            "create after the sign-up",
            facts {
                $0.prompts = [.create]
                loggedIn(&$0)
            }, .grant
        ),
        ("prompt=login", facts { $0.prompts = [.login] }, .logIn(isRefresh: true)),
        (
            "prompt=login after the login",
            facts {
                $0.prompts = [.login]
                loggedIn(&$0)
            }, .grant
        ),
        (
            "prompt=login, logged in just before the request",
            facts {
                $0.prompts = [.login]
                $0.session?.authenticatedAt = start - .microseconds(1)
            }, .logIn(isRefresh: true)
        ),
        ("max_age not exceeded", facts { $0.maxAge = .seconds(3661) }, .grant),
        ("max_age exceeded", facts { $0.maxAge = .seconds(3660) }, .logIn(isRefresh: true)),
        (
            "max_age=0 after the login",
            facts {
                $0.maxAge = .zero
                loggedIn(&$0)
            }, .grant
        ),
        ("hint names the user", facts { $0.subject = user }, .grant),
        ("hint names another user", facts { $0.subject = other }, .logIn(isRefresh: false)),
        (
            "hint names another user than the one that has logged in",
            facts {
                $0.subject = other
                loggedIn(&$0)
            }, .refuse(wrongAccount)
        ),
        ("schema not allowed", facts { $0.session?.isAllowed = false }, .logIn(isRefresh: false)),
        (
            "schema not allowed after the login",
            facts {
                $0.session?.isAllowed = false
                loggedIn(&$0)
            }, .refuse(wrongAccount)
        ),
        ("select_account", facts { $0.prompts = [.selectAccount] }, .chooseAccount),
        ("fields are missing", facts { $0.lacksFields = true }, .completeProfile),
        (
            "fields are missing, and consent was given in the request",
            facts {
                $0.lacksFields = true
                $0.isApproved = true
            }, .completeProfile
        ),
        (
            "fields are missing, prompt=none",
            facts {
                $0.lacksFields = true
                $0.prompts = [.none]
            }, .refuse(.interactionRequired)
        ),
        (
            "fields are missing, without a login",
            facts {
                $0.lacksFields = true
                $0.session = nil
            }, .logIn(isRefresh: false)
        ),
        (
            "select_account, chosen",
            facts {
                $0.prompts = [.selectAccount]
                $0.chosen = user
            }, .grant
        ),
        (
            "select_account, another one chosen",
            facts {
                $0.prompts = [.selectAccount]
                $0.chosen = other
            }, .chooseAccount
        ),
        ("not remembered", facts { $0.consent.isRemembered = false }, .ask(.scopes)),
        (
            "not remembered, approved",
            facts {
                $0.consent.isRemembered = false
                $0.isApproved = true
            }, .grant
        ),
        (
            "approved, but the login is too old",
            facts {
                $0.isApproved = true
                $0.prompts = [.login]
            }, .logIn(isRefresh: true)
        ),
        ("prompt=none, remembered", facts { $0.prompts = [.none] }, .grant),
        (
            "prompt=none, no session",
            facts {
                $0.prompts = [.none]
                $0.session = nil
            }, .refuse(.loginRequired)
        ),
        (
            "prompt=none, not remembered",
            facts {
                $0.prompts = [.none]
                $0.consent.isRemembered = false
            }, .refuse(.consentRequired)
        ),
        (
            "prompt=none, an app that can't be verified",
            facts {
                $0.prompts = [.none]
                $0.consent.redirect = .privateUse
            }, .refuse(.interactionRequired)
        ),
        (
            "prompt=none, another account must be chosen",
            facts { $0.prompts = [.none, .selectAccount] }, .refuse(.accountSelectionRequired)
        ),
        (
            "an app that can't be verified, before the login",
            facts(trustedApp), .ask(.proceed)
        ),
        (
            "an app that can't be verified, after the login",
            facts {
                trustedApp(&$0)
                loggedIn(&$0)
            }, .grant
        ),
        (
            "prompt=none, max_age exceeded",
            facts {
                $0.prompts = [.none]
                $0.maxAge = .zero
            }, .refuse(.loginRequired)
        ),
    ]

    private static let wrongAccount = AuthorizationError(
        .accessDenied,
        reason: "The user has logged in to an account that can't be used for this request."
    )

    @Test(arguments: rows.indices)
    func `The next step of a request`(_ index: Int) {
        let (name, facts, expected) = Self.rows[index]
        #expect(AuthorizationDecision(facts) == expected, "\(name)")
    }

    // MARK: Consent

    private struct ConsentRow {
        var redirect: RedirectURI.Kind
        var skips = false
        var isConfidential = false
        var isRemembered = false
        var isRequested = false
        var hasLoggedIn = false
        let expected: ConsentQuestion?
    }

    private static let consentRows: [ConsentRow] = [
        ConsentRow(redirect: .https, expected: .scopes),
        ConsentRow(redirect: .https, isRemembered: true, expected: nil),
        ConsentRow(redirect: .https, isRemembered: true, isRequested: true, expected: .scopes),
        ConsentRow(redirect: .https, skips: true, expected: nil),
        ConsentRow(redirect: .https, skips: true, isRequested: true, expected: .scopes),
        ConsentRow(redirect: .privateUse, expected: .scopes),
        ConsentRow(redirect: .privateUse, hasLoggedIn: true, expected: .scopes),
        ConsentRow(redirect: .privateUse, isRemembered: true, expected: .proceed),
        ConsentRow(redirect: .privateUse, isRemembered: true, hasLoggedIn: true, expected: .proceed),
        ConsentRow(redirect: .privateUse, skips: true, expected: .proceed),
        ConsentRow(redirect: .privateUse, skips: true, hasLoggedIn: true, expected: nil),
        ConsentRow(redirect: .privateUse, skips: true, isConfidential: true, expected: nil),
        ConsentRow(redirect: .privateUse, isConfidential: true, isRemembered: true, expected: .proceed),
        ConsentRow(redirect: .loopback, isRemembered: true, expected: .proceed),
        ConsentRow(redirect: .localhost, skips: true, expected: .proceed),
        ConsentRow(redirect: .http, skips: true, expected: .proceed),
        ConsentRow(redirect: .privateUse, skips: true, isRequested: true, expected: .scopes),
    ]

    @Test(arguments: consentRows.indices)
    func `The question about a client`(_ index: Int) {
        let row = Self.consentRows[index]
        var facts = ConsentQuestion.Facts(redirect: row.redirect)
        facts.skipsConsent = row.skips
        facts.isConfidential = row.isConfidential
        facts.isRemembered = row.isRemembered
        facts.isRequested = row.isRequested
        facts.hasLoggedIn = row.hasLoggedIn
        #expect(ConsentQuestion(facts) == row.expected, "\(row)")
    }

    // MARK: Refresh

    @Test(
        arguments: [
            (3, 2, 0, false, RefreshDecision.refuse), (2, 2, 0, false, .successor),
            (1, 1, 0, false, .successor), (2, 2, 59, false, .successor),
            (2, 2, 60, false, .end), (2, 2, 600, true, .successor), (1, 2, 0, false, .end),
            (1, 2, 0, true, .end), (0, 0, 0, false, .refuse), (0, 2, 0, false, .refuse),
            (9, 2, 0, true, .refuse),
        ] as [(Int64, Int64, Int, Bool, RefreshDecision)]
    )
    func `A refresh token that isn't the newest one`(
        number: Int64,
        used: Int64,
        seconds: Int,
        isBound: Bool,
        expected: RefreshDecision
    ) {
        let decision = RefreshDecision(
            number: number,
            used: used,
            usedAt: Self.start,
            isBound: isBound,
            retry: .seconds(60),
            now: Self.start + .seconds(seconds)
        )
        #expect(decision == expected)
    }
}
