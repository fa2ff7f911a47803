import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyPages
@testable import LatchkeySelfService

@Suite struct `Pages` {
    @Test(arguments: try PageSample.all()) func `Pages comply with all structural rules in all languages`(
        _ sample: PageSample
    ) throws {
        for language in Language.allCases {
            let structure = PageStructure(of: try sample.tree(in: language), language: language.rawValue)
            #expect(structure.violations == [], "\(sample) in \(language)")
        }
    }

    @Test(arguments: try PageSample.all()) func `A page and its files have at most 30 kB`(
        _ sample: PageSample
    ) throws {
        for language in Language.allCases {
            let page = try sample.response(in: language).body.count
            #expect(page + PageAsset.all.map(\.bytes.count).reduce(0, +) <= 30_000)
        }
    }

    @Test(arguments: try PageSample.all()) func `Pages need no scripts and only load their own files`(
        _ sample: PageSample
    ) throws {
        let tree = try sample.tree()
        #expect(
            tree.named("link").compactMap { $0["href"] } == [
                "https://id.example.com" + PageAsset.stylesheet.path,
                "https://id.example.com" + PageAsset.icon.path,
            ]
        )
        #expect(tree.named("script").isEmpty)
    }

    @Test(arguments: [
        ("login", "Logg inn"), ("login, wrong code", "Skriv inn koden"),
        ("re-authentication", "Logg inn på nytt"), ("registration", "Opprett konto"),
        ("verification", "Bekreft kontaktopplysningene dine"), ("verification, passed", "Bekreftet"),
        ("recovery", "Gjenopprett kontoen din"), ("recovery, code sent", "Skriv inn koden"),
        ("settings", "Innstillinger"), ("settings after a recovery", "Velg et nytt passord"),
        ("consent", "The Shop ber om tilgang til kontoen din"),
        ("consent, continue only", "Fortsett til The Shop"), ("logout", "Vil du logge ut?"),
    ]) func `The heading says what to do, in the language of the page`(
        _ name: String,
        _ heading: String
    ) throws {
        let sample = try #require(try PageSample.all().first { $0.description == name })
        #expect(try sample.tree(in: .norwegian).first("h1")?.text == heading)
    }

    @Test func `The service's name is shown above the page and in its title`() throws {
        let sample = PageSample("welcome", page: WelcomePage(account: nil))
        #expect(try sample.tree().first("title")?.text == "Your account – Shop")
        #expect(try sample.tree().first("header")?.text == "Shop")
        let unnamed = try HTMLTree.parse(sample.response(service: nil).body)
        #expect(unnamed.first("title")?.text == "Your account")
        #expect(unnamed.first("header") == nil)
    }

    @Test func `The consent page names the client, the account and the destination`() throws {
        let tree = try PageSample("consent", page: PageSample.consent(.scopes([]))).tree()
        #expect(tree.first("h1")?.text == "The Shop asks for access to your account")
        #expect(tree.named("p").map(\.text).contains("You will return to shop.example.com."))
        #expect(tree.named("p").map(\.text).contains("You are signed in as a@example.org."))
        #expect(tree.named("button").map(\.text) == ["Allow", "Not now", "Use another account"])
        #expect(tree.named("button").map { $0["value"] } == ["approve", "refuse", "switch_account"])
        #expect(tree.named("a").map { $0["rel"] } == ["noreferrer", "noreferrer"])
    }

    @Test func `Required scopes can't be left out`() throws {
        let scopes = [
            ConsentPage.Scope("openid", isRequired: true), .init("email"), .init("phone", isChosen: false),
        ]
        let tree = try PageSample("consent", page: PageSample.consent(.scopes(scopes))).tree()
        let inputs = tree.named("input").filter { $0["name"] == "grant_scope" }
        #expect(tree.first("legend")?.text == "Shared with The Shop")
        #expect(inputs.map { $0["value"] } == ["openid", "email", "phone"])
        #expect(inputs.map { $0["type"] } == ["hidden", "checkbox", "checkbox"])
        #expect(inputs.map { $0["checked"] != nil } == [false, true, false])
    }

    @Test func `The page that only asks to continue has a button with both names and no scopes`() throws {
        let tree = try PageSample("consent", page: PageSample.consent(.proceed)).tree()
        #expect(tree.first("button")?.text == "Continue to The Shop as a@example.org")
        #expect(tree.first("fieldset") == nil)
    }

    @Test func `The app's destination is described without its unverified name`() throws {
        let page = ConsentPage(
            client: .shop,
            account: "a",
            destination: .app,
            question: .proceed,
            form: .sample
        )
        let texts = try PageSample("consent", page: page).tree().named("p").map(\.text)
        #expect(texts.contains { $0.hasPrefix("You will return to an app on this device.") })
    }

    @Test func `Sessions are ended by buttons with their ids, except for the user's own`() throws {
        let sessions = try #require(try PageSample.all().first { $0.description == "sessions" })
        let buttons = try sessions.tree().named("button")
        #expect(buttons.map { $0["name"] } == ["session", "session", "everywhere"])
        #expect(buttons.map { $0["value"] } == ["2", "3", "true"])
        #expect(
            buttons.map(\.text) == [
                "Sign out: Shop for iPhone", "Sign out: Unknown device", "Sign out everywhere",
            ]
        )
    }

    @Test func `The welcome page leads to the settings, the sessions and the logout, or to the login`() throws
    {
        func links(_ page: WelcomePage) throws -> [String?] {
            try PageSample("welcome", page: page).tree().named("a").map { $0["href"]?.dropFirst(22) }
                .map { $0.map(String.init) }
        }
        #expect(try links(WelcomePage(account: "a")) == ["/settings", "/sessions", "/logout"])
        #expect(try links(WelcomePage(account: nil)) == ["/login", "/registration"])
        #expect(try links(WelcomePage(account: nil, offersRegistration: false)) == ["/login"])
    }

    @Test func `Requests that have ended lead back to the client`() throws {
        let page = NoticePage(.requestExpired, client: .shop, restart: .login)
        let tree = try PageSample("notice", page: page).tree()
        #expect(tree.named("p").map(\.text).contains("Go back to The Shop and start again there."))
        #expect(tree.named("a").map(\.text) == ["Go to The Shop", "Start again"])
        #expect(tree.named("a").map { $0["rel"] } == ["noreferrer", nil])
        let unknown = try PageSample("notice", page: NoticePage(.requestExpired)).tree()
        #expect(
            unknown.named("p").map(\.text)
                .contains("Go back to the app or website and start again there.")
        )
        #expect(unknown.named("a").isEmpty)
    }

    @Test func `A session from an app names both accounts before it replaces one`() throws {
        let page = HandoverPage(client: .shop, account: "a@b.example", current: "c@d.example", form: .sample)
        let tree = try PageSample("hand-over", page: page).tree()
        #expect(tree.first("h1")?.text == "Continue as a@b.example")
        #expect(tree.named("p").contains { $0.text.hasPrefix("You are now signed in as c@d.example.") })
        #expect(tree.named("button").map { $0["value"] } == ["approve", "refuse"])
    }

    @Test func `A mailed link has a button for users who did not ask for it`() throws {
        let tree = try PageSample("link", page: PageSample.mailedLink(.verification)).tree()
        #expect(tree.first("h1")?.text == "Confirm a@example.org")
        #expect(tree.named("button").map { $0["formaction"] } == [nil, "/?flow=1"])
        #expect(tree.named("p").map(\.text).contains("This was requested on 1970-01-01 00:00 UTC."))
        #expect(tree.first("input") { $0["name"] == "code" }?["value"] == "1")
    }

    @Test func `Pages that can't do what was asked have the status of an error`() throws {
        let statuses = try PageSample.notices.map {
            try PageSample("notice", page: NoticePage($0)).response().status
        }
        #expect(statuses == [200, 200, 410, 410, 410, 410, 403, 200, 410])
        let errors = try ErrorPage.Kind.allCases.map {
            try PageSample("error", page: ErrorPage($0, reference: nil, way: nil)).response().status
        }
        #expect(errors == [403, 400, 410, 400, 400, 400, 403, 401, 403, 403, 400, 403, 429, 404, 500])
        #expect(try PageSample("welcome", page: WelcomePage(account: nil)).response().status == 200)
    }

    @Test(arguments: ErrorPage.Kind.allCases) func `Errors have a reference and a way on`(
        _ kind: ErrorPage.Kind
    ) throws {
        let url = LinkURL.root.adding("flow", value: "f")
        let ways: [(ErrorPage.Way?, [String])] = [
            (nil, []), (.backToForm(url), ["Back to the form"]), (.tryAgain(url), ["Try again"]),
            (.startAgain(url), ["Start again"]), (.signIn(url), ["Sign in"]),
        ]
        for (way, labels) in ways {
            let tree = try PageSample("error", page: ErrorPage(kind, reference: "R-1", way: way)).tree()
            #expect(tree.text.contains("Reference number: R-1"))
            #expect(tree.first("title")?.text.hasPrefix(tree.first("h1")?.text ?? "-") == true)
            #expect(tree.named("a").map(\.text) == labels)
            #expect(tree.named("a").allSatisfy { $0["href"] == "/?flow=f" })
            #expect(tree.first("form") == nil)
        }
    }

    @Test(arguments: ErrorPage.Kind.allCases)
    func `Errors within a request name the client and can be cancelled`(
        _ kind: ErrorPage.Kind
    ) throws {
        let form = PageForm(action: .root.adding("login_challenge", value: "c"), csrfToken: "token")
        let page = ErrorPage(
            kind,
            reference: nil,
            way: .backToForm(.root),
            request: .init(client: .shop, cancel: form)
        )
        let sample = PageSample("error", page: page)
        let tree = try sample.tree()
        #expect(tree.named("p").map(\.text).contains("Then you can continue to The Shop."))
        #expect(tree.first("form")?["action"] == "/?login_challenge=c")
        #expect(tree.named("button").map(\.text) == ["Cancel"])
        #expect(tree.named("input").map { $0["name"] } == ["csrf_token"])
        // The refusal leads to the client.
        #expect(try sample.response().headers["Content-Security-Policy"]?.contains("form-action") == false)
        let other = try PageSample("error", page: ErrorPage(kind, reference: nil, way: nil)).response()
        #expect(other.headers["Content-Security-Policy"]?.contains("form-action 'self'") == true)
    }

    @Test(
        arguments: [
            (nil, "Please wait a few minutes and try again."), (0, "You can try again now."),
            (1, "Please wait 10 seconds and try again."), (30, "Please wait 30 seconds and try again."),
            (31, "Please wait 40 seconds and try again."), (90, "Please wait 90 seconds and try again."),
            (91, "Please wait 2 minutes and try again."), (120, "Please wait 2 minutes and try again."),
            (121, "Please wait 3 minutes and try again."), (5400, "Please wait 90 minutes and try again."),
            (5401, "Please wait 2 hours and try again."), (86_400, "Please wait 24 hours and try again."),
            (129_601, "Please wait 2 days and try again."),
        ] as [(Int?, String)]
    )
    func `A limit says how long to wait, in a unit that people use and never too short`(
        wait: Int?,
        text: String
    ) throws {
        let page = PageSample.error(.tooManyRequests, wait: wait)
        let alert = try PageSample("error", page: page).tree().all.first { $0["role"] == "alert" }
        #expect(alert?.text == text)
    }

    @Test(
        arguments: [
            (.norwegian, "Vent 30 sekunder, og prøv igjen."),
            (.swedish, "Vänta 30 sekunder och försök igen."),
            (.finnish, "Odota 30 sekuntia ja yritä uudelleen."),
        ] as [(Language, String)]
    )
    func `The time to wait is written in the language of the page`(language: Language, text: String) throws {
        let page = PageSample.error(.tooManyRequests, wait: 30)
        let alert = try PageSample("error", page: page).tree(in: language).all.first { $0["role"] == "alert" }
        #expect(alert?.text == text)
    }
}
