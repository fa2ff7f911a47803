import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyPages
@testable import LatchkeySelfService

extension PageSample {
    /// All pages in all their states.
    static func all() throws -> [PageSample] {
        try flows() + others + [.init("terms", page: TermsPage.sample())]
    }

    private static func flows() throws -> [PageSample] {
        var withRequest = try FlowPage.sample(.login)
        withRequest.request = .init(client: .shop, cancel: .root)
        var codeOnly = FormSettings()
        codeOnly.isPasswordEnabled = false
        var twoSteps = FormSettings()
        twoSteps.registrationStyle = .profileFirst
        var skippable = try FlowPage.sample(.verification)
        skippable.skip = .root
        var passwordSection = try FlowPage.sample(.settings)
        passwordSection.section = "password"
        let missing = Form.refusing("password", message: .missing("password"))
        return [
            .init("login", page: try FlowPage.sample(.login)),
            .init("login without passwords", page: try FlowPage.sample(.login, settings: codeOnly)),
            .init("login for a client", page: withRequest),
            .init(
                "login, wrong password",
                page: try FlowPage.sample(.login, form: Form(messages: [.invalidCredentials]))
            ),
            .init("login, missing password", page: try FlowPage.sample(.login, form: missing)),
            .init(
                "login, code sent",
                page: try FlowPage.sample(
                    .login,
                    state: .sentEmail,
                    address: "a@example.org",
                    form: Form(messages: [.loginCodeSent])
                )
            ),
            .init(
                "login, wrong code",
                page: try FlowPage.sample(
                    .login,
                    state: .sentEmail,
                    address: "a@example.org",
                    form: .refusing("code", message: .wrongCode(.login))
                )
            ),
            .init(
                "login, expired",
                page: try FlowPage.sample(
                    .login,
                    form: Form(messages: [.flowExpired(.login, at: Timestamp(seconds: 0))])
                )
            ),
            .init(
                "re-authentication",
                page: try FlowPage.sample(.login, refresh: true, form: Form(messages: [.reauthenticate]))
            ),
            .init("registration", page: try FlowPage.sample(.registration)),
            .init("registration of a reader", page: try FlowPage.sample(.registration, schema: "reader")),
            .init("registration in two steps", page: try FlowPage.sample(.registration, settings: twoSteps)),
            .init(
                "registration, second step",
                page: try FlowPage.sample(
                    .registration,
                    traits: "{}",
                    form: Form(values: ["traits.email": "a@example.org"], messages: [.chooseCredential]),
                    settings: twoSteps
                )
            ),
            .init(
                "registration, address taken",
                page: try FlowPage.sample(.registration, form: Form(messages: [.duplicateIdentifier]))
            ),
            .init(
                "registration, invalid address",
                page: try FlowPage.sample(
                    .registration,
                    form: .refusing("traits.email", value: "a", message: .invalidEmail("a"))
                )
            ),
            .init("verification", page: skippable),
            .init(
                "verification, code sent",
                page: try FlowPage.sample(
                    .verification,
                    state: .sentEmail,
                    address: "a@example.org",
                    form: Form(messages: [.emailCodeSent])
                )
            ),
            .init("verification, passed", page: try FlowPage.confirmed(returnTo: "com.example.app://in")),
            .init("recovery", page: try FlowPage.sample(.recovery)),
            .init(
                "recovery, code sent",
                page: try FlowPage.sample(
                    .recovery,
                    state: .sentEmail,
                    address: "a@example.org",
                    form: Form(messages: [.recoveryCodeSent])
                )
            ),
            .init("settings", page: try FlowPage.sample(.settings)),
            .init("settings, password", page: passwordSection),
            .init(
                "settings after a recovery",
                page: try FlowPage.sample(
                    .settings,
                    form: Form(messages: [.recovered(until: Timestamp(seconds: 0))])
                )
            ),
            .init(
                "settings, saved",
                page: try FlowPage.sample(.settings, state: .success, form: Form(messages: [.settingsSaved]))
            ),
        ]
    }

    private static let others: [PageSample] =
        [
            .init("welcome", page: WelcomePage(account: "a@example.org")),
            .init("welcome without a session", page: WelcomePage(account: nil)),
            .init("sessions", page: SessionsPage(sessions, form: .sample, hasRevoked: true)),
            .init("consent", page: consent(.scopes(scopes))),
            .init("consent, continue only", page: consent(.proceed)),
            .init("chooser", page: AccountChoicePage(account: "a@b.example", client: .shop, form: .sample)),
            .init(
                "hand-over",
                page: HandoverPage(
                    client: .shop,
                    account: "a@b.example",
                    current: "c@d.example",
                    form: .sample
                )
            ),
            .init("confirmed link", page: LinkConfirmedPage(client: .shop, form: .sample)),
            .init("logout", page: LogoutPage(account: "a@example.org", form: .sample)),
        ]
        + [MailedLinkPage.Purpose.verification, .recovery].map {
            .init("mailed link for \($0)", page: mailedLink($0))
        }
        + notices.map {
            .init("notice \($0)", page: NoticePage($0, client: .shop, restart: .recovery))
        }
        + ErrorPage.Kind.allCases.map { .init("error \($0)", page: error($0)) }
        + ErrorPage.Kind.allCases.map { .init("error \($0) in a request", page: error($0, in: .shop)) }
        + [0, 30, 600, 7200, 200_000].map { (wait: Int) in
            .init("wait \(wait)", page: error(.tooManyRequests, wait: wait))
        }

    /// The page of an error, with a way that it can have.
    static func error(_ kind: ErrorPage.Kind, in request: ErrorPage.Request? = nil, wait: Int? = nil)
        -> ErrorPage
    {
        let way: ErrorPage.Way? =
            switch kind {
            case .requestInvalid: nil
            case .appOnly, .registrationClosed: .signIn(.root)
            case .tooManyRequests: request == nil ? .tryAgain(.root) : .backToForm(.root)
            default: .startAgain(.root)
            }
        return ErrorPage(kind, reference: "R-1", way: way, request: request, wait: wait)
    }

    static let notices: [NoticePage.Notice] = [
        .confirmedElsewhere, .reported, .linkUsed, .linkExpired, .requestAnswered, .requestExpired,
        .requestElsewhere, .signedOut, .handoverEnded,
    ]

    private static let sessions = [
        SessionsPage.Session(
            id: "1",
            name: "Firefox on Linux",
            place: "192.0.2.1",
            lastUsed: Timestamp(seconds: 0),
            isOwn: true
        ),
        SessionsPage.Session(
            id: "2",
            name: "Shop for iPhone",
            client: "Shop",
            place: nil,
            lastUsed: Timestamp(seconds: 0),
            isOwn: false
        ),
        SessionsPage.Session(id: "3", name: nil, place: nil, lastUsed: Timestamp(seconds: 0), isOwn: false),
    ]

    private static let scopes = [
        ConsentPage.Scope("openid", isRequired: true), .init("email"), .init("offline_access"),
        .init("orders", description: "Your orders", isChosen: false), .init("other"),
    ]

    static func consent(_ question: ConsentPage.Question) -> ConsentPage {
        ConsentPage(
            client: .shop,
            account: "a@example.org",
            destination: .host(UntrustedText(address: "shop.example.com")),
            question: question,
            form: .sample
        )
    }

    static func mailedLink(_ purpose: MailedLinkPage.Purpose) -> MailedLinkPage {
        MailedLinkPage(
            purpose,
            address: "a@example.org",
            client: .shop,
            requestedAt: Timestamp(seconds: 0),
            place: "Oslo",
            form: PageForm(action: .root, csrfToken: "token", fields: [.init(name: "code", value: "1")]),
            report: .root.adding("flow", value: "1")
        )
    }
}

extension FlowPage {
    /// The page of a completed verification, which leads to a URL.
    static func confirmed(returnTo: String) throws -> FlowPage {
        var page = try FlowPage.sample(.verification, state: .passedChallenge)
        let link = UIAttributes.Link(href: returnTo, title: UIMessage.Label.proceed, id: "continue")
        page.ui.nodes.append(UINode(group: "code", link: link))
        page.ui.messages = [.verified(try #require(ContactAddress("a@example.org")))]
        page.ui.action = returnTo
        page.ui.method = "GET"
        return page
    }
}
