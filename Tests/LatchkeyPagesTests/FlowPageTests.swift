import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyPages
@testable import LatchkeySelfService

@Suite struct `Flow pages` {
    private func tree(_ page: FlowPage, in language: Language = .english) throws -> HTMLTree {
        try PageSample("flow", page: page).tree(in: language)
    }

    @Test func `The login has one form with the names and values of the nodes`() throws {
        let page = try FlowPage.sample(.login)
        let form = try #require(try tree(page).first("form"))
        #expect(form["action"] == page.ui.action)
        #expect(form["method"] == "post")
        let controls = form.all.filter { $0["name"] != nil }
        #expect(controls.map { $0["name"] } == ["csrf_token", "identifier", "password", "method", "method"])
        #expect(controls.map { $0["value"] } == ["token", nil, nil, "password", "code"])
        #expect(controls.map { $0["autocomplete"] } == [nil, "username", "current-password", nil, nil])
        #expect(controls.map { $0["required"] != nil } == [false, true, true, false, false])
    }

    @Test func `The button that asks for a code skips the password's validation`() throws {
        let buttons = try tree(.sample(.login)).named("button")
        #expect(buttons.map { $0["value"] } == ["password", "code"])
        #expect(buttons.map { $0["formnovalidate"] != nil } == [false, true])
    }

    @Test func `The button that goes back in a registration comes last and skips the validation`() throws {
        let second = try #require(
            try PageSample.all().first { $0.description == "registration, second step" }
        )
        let buttons = try second.tree().named("button")
        #expect(buttons.map { $0["name"] } == ["method", "method", "screen"])
        #expect(buttons.map { $0["value"] } == ["password", "code", "previous"])
        #expect(buttons.map { $0["formnovalidate"] != nil } == [false, true, true])
    }

    @Test func `Field attributes are carried over, and codes get a numeric keyboard`() throws {
        let page = try FlowPage.sample(.recovery, state: .sentEmail, address: "a@example.org")
        let code = try #require(try tree(page).first("input") { $0["name"] == "code" })
        #expect(code["pattern"] == "[0-9]+")
        #expect(code["maxlength"] == "6")
        #expect(code["inputmode"] == "numeric")
        #expect(code["autocomplete"] == "one-time-code")
        #expect(code["autofocus"] != nil)
    }

    @Test(
        arguments: [
            (.english, "+46701000001", "Enter the code from the text message to +46701000001."),
            (.english, "a@example.org", "Enter the code from the e-mail to a@example.org."),
            (.norwegian, "a@example.org", "Skriv inn koden fra e-posten til a@example.org."),
            (.swedish, "+46701000001", "Ange koden från sms:et till +46701000001."),
            (.finnish, "a@example.org", "Kirjoita koodi osoitteeseen a@example.org tulevasta sähköpostista."),
        ] as [(Language, String, String)]
    )
    func `A page that asks for a code says which message contains it`(
        language: Language,
        address: String,
        text: String
    ) throws {
        for kind in [FlowKind.login, .registration, .recovery, .verification] {
            let traits = kind == .registration ? "{}" : nil
            let page = try FlowPage.sample(kind, state: .sentEmail, address: address, traits: traits)
            #expect(try tree(page, in: language).named("p").map(\.text).contains(text), "\(kind)")
        }
        let before = try tree(.sample(.verification, address: address), in: language)
        #expect(!before.text.contains(text))
    }

    @Test func `Submitted values are shown again, but never passwords`() throws {
        var page = try FlowPage.sample(.login, form: Form(values: ["identifier": "a@example.org"]))
        page.ui.nodes = page.ui.nodes.map { node in
            guard case .input(var input) = node.attributes, input.name == "password" else { return node }
            var node = node
            input.value = "secret"
            node.attributes = .input(input)
            return node
        }
        let inputs = try tree(page).named("input")
        #expect(inputs.first { $0["name"] == "identifier" }?["value"] == "a@example.org")
        #expect(inputs.first { $0["name"] == "password" }?["value"] == nil)
    }

    @Test func `A field's error is connected to the field, the summary and the title`() throws {
        let form = Form.refusing("traits.email", value: "x", message: .invalidEmail("x"))
        let tree = try tree(.sample(.registration, form: form))
        let field = try #require(tree.first("input") { $0["name"] == "traits.email" })
        #expect(field["aria-invalid"] == "true")
        #expect(field["value"] == "x")
        #expect(field["autofocus"] != nil)
        let message = tree.all.first { $0["id"] == field["aria-describedby"] }
        #expect(message?.text == "This is not a valid e-mail address.")
        let alert = try #require(tree.all.first { $0["role"] == "alert" })
        #expect(
            alert.text == "E-Mail: This is not a valid e-mail address.".replacing("E-Mail", with: "E-mail")
        )
        #expect(alert.first("a")?["href"] == field["id"].map { "#\($0)" })
        #expect(tree.first("title")?.text.hasPrefix("E-mail: This is not a valid") == true)
    }

    @Test func `Errors and information about the flow have their roles`() throws {
        let refused = try tree(.sample(.login, form: Form(messages: [.invalidCredentials])))
        #expect(refused.all.filter { $0["role"] != nil }.map { $0["role"] } == ["alert"])
        #expect(refused.first("title")?.text.hasPrefix("Your sign-in details are incorrect.") == true)
        let saved = try tree(.sample(.settings, state: .success, form: Form(messages: [.settingsSaved])))
        #expect(saved.all.filter { $0["role"] != nil }.map { $0["role"] } == ["status"])
        #expect(saved.first("title")?.text == "Settings – Shop")
    }

    @Test func `Errors about hidden fields are shown in the summary`() throws {
        var form = Form()
        form.refuse("identifier", with: .missing("identifier"))
        let page = try FlowPage.sample(.login, state: .sentEmail, address: "a@b.example", form: form)
        let alert = try tree(page).all.first { $0["role"] == "alert" }
        #expect(alert?.text == "Please fill in this field.")
        #expect(alert?.first("a") == nil)
    }

    @Test func `A hint is shown next to its field`() throws {
        var form = Form()
        let address = try #require(ContactAddress("anna@example.org"))
        form.refuse("password", with: .claimCodeSent(address))
        let tree = try tree(.sample(.registration, form: form))
        let field = try #require(tree.first("input") { $0["name"] == "password" })
        #expect(field["aria-invalid"] == nil)
        let hint = tree.all.first { $0["id"] == field["aria-describedby"] }
        #expect(hint?.text.hasPrefix("We have sent a code to") == true)
    }

    @Test func `A client's request is named and can be cancelled without filling in the form`() throws {
        var page = try FlowPage.sample(.login)
        page.request = .init(
            client: .shop,
            cancel: LinkURL("/oauth2/auth/cancel?login_challenge=1")
        )
        let tree = try tree(page)
        #expect(tree.named("p").map(\.text).contains("Sign in to continue to The Shop."))
        let cancel = try #require(tree.named("button").last)
        #expect(cancel.text == "Cancel")
        #expect(cancel["formaction"] == "/oauth2/auth/cancel?login_challenge=1")
        #expect(cancel["formnovalidate"] != nil)
        #expect(cancel["name"] == nil)
    }

    @Test func `Links between pages keep the request and the return address`() throws {
        var page = try FlowPage.sample(.login, returnTo: "https://a.example/")
        page.parameters.loginChallenge = "c1"
        let links = try tree(page).named("a")
        #expect(links.map(\.text) == ["Forgot your password?", "Create account"])
        let query = "return_to=https%3A%2F%2Fa.example%2F&login_challenge=c1"
        #expect(
            links.map { $0["href"] } == [
                "https://id.example.com/recovery?\(query)", "https://id.example.com/registration?\(query)",
            ]
        )
        page.offersRecovery = false
        page.offersRegistration = false
        #expect(try tree(page).named("a").isEmpty)
    }

    @Test func `Settings show one section at a time, so that Enter saves what the user has typed`() throws {
        var page = try FlowPage.sample(.settings)
        func names(_ page: FlowPage) throws -> [String?] {
            try tree(page).named("input").filter { $0["type"] != "hidden" }.map { $0["name"] }
        }
        #expect(try names(page) == ["traits.email", "traits.phone", "traits.name"])
        let links = try tree(page).first("nav")?.named("a") ?? []
        #expect(links.map(\.text) == ["Profile", "Password"])
        #expect(links.map { $0["aria-current"] } == ["page", nil])
        #expect(links.last?["href"] == "https://id.example.com/settings?flow=\(page.id)&section=password")
        page.section = "password"
        #expect(try names(page) == ["password"])
        page.section = "unknown"
        #expect(try names(page).count == 3)
        #expect(try names(.sample(.settings, state: .success, active: "password")) == ["password"])
    }

    @Test func `After a recovery, the settings show the password`() throws {
        let page = try FlowPage.sample(
            .settings,
            form: Form(messages: [.recovered(until: Timestamp(seconds: 0))])
        )
        let tree = try tree(page)
        #expect(tree.first("h1")?.text == "Set a new password")
        #expect(tree.first("input") { $0["type"] == "password" } != nil)
    }

    @Test(arguments: [
        ("com.example.app://in", true), ("https://a.example/", true), ("javascript:alert(1)", false),
        ("data:text/html,x", false),
    ]) func `A completed verification leads on, but not to a script`(_ url: String, _ isLink: Bool) throws {
        let tree = try tree(.confirmed(returnTo: url))
        let link = tree.first("a") { $0["href"] == url && $0.text == "Continue" }
        #expect((link != nil) == isLink)
        #expect(tree.first("form") == nil)
        #expect(tree.first("h1")?.text == "Confirmed")
    }

    @Test func `A request can be cancelled even if the flow offers no method`() throws {
        var page = try FlowPage.sample(.login)
        page.ui.nodes.removeAll { node in
            if case .input(let input) = node.attributes { input.type == "submit" } else { false }
        }
        #expect(try tree(page).first("form") == nil)
        page.request = .init(client: .shop, cancel: .root)
        let form = try #require(try tree(page).first("form"))
        #expect(form.named("button").map(\.text) == ["Cancel"])
        // Fields that can't be submitted aren't shown.
        #expect(form.named("input").map { $0["name"] } == ["csrf_token"])
    }

    @Test func `A verification that isn't required can be skipped`() throws {
        var page = try FlowPage.sample(.verification)
        #expect(try tree(page).named("a").isEmpty)
        page.skip = LinkURL("https://id.example.com/next")
        let link = try #require(try tree(page).first("a"))
        #expect(link.text == "Not now")
        #expect(link["href"] == "https://id.example.com/next")
    }

    @Test func `Browsers can fill in traits, and leave identifiers and codes unchanged`() throws {
        let reader = try tree(.sample(.registration, schema: "reader")).named("input")
        let purposes = reader.compactMap { $0["autocomplete"] }
        #expect(
            purposes == ["email", "tel", "given-name", "family-name", "nickname", "bday", "new-password"]
        )
        let identifier = try tree(.sample(.login)).first("input") { $0["name"] == "identifier" }
        #expect(identifier?["autocapitalize"] == "none")
        #expect(identifier?["spellcheck"] == "false")
    }

    @Test func `Fields of all types keep their attributes`() throws {
        var page = try FlowPage.sample(.settings)
        var disabled = UIAttributes.Input(name: "traits.size", type: "number", value: 4.5)
        disabled.disabled = true
        page.ui.nodes = [
            UINode(group: "profile", attributes: disabled),
            UINode(group: "profile", attributes: .init(name: "x", type: "image", value: "<")),
            UINode(group: "profile", attributes: .init(name: "method", type: "submit", value: "profile")),
        ]
        let inputs = try tree(page).named("input")
        #expect(inputs.map { $0["type"] } == ["number", "text"])
        #expect(inputs.map { $0["value"] } == ["4.5", "<"])
        #expect(inputs.map { $0["step"] } == ["any", nil])
        #expect(inputs.map { $0["inputmode"] } == ["decimal", nil])
        #expect(inputs.map { $0["disabled"] != nil } == [true, false])
    }

    @Test func `Traits that may be left empty say so`() throws {
        let labels = try tree(.sample(.registration)).named("label").map(\.text)
        #expect(labels == ["E-mail", "Phone number", "Name (optional)", "Password"])
    }

    @Test func `A check box submits a value if it isn't ticked`() throws {
        var page = try FlowPage.sample(.settings)
        page.ui.nodes = [
            UINode(
                group: "profile",
                attributes: .init(name: "traits.news", type: "checkbox", value: true, required: true)
            ),
            UINode(group: "profile", attributes: .init(name: "method", type: "submit", value: "profile")),
        ]
        let inputs = try tree(page).named("input")
        // The server reads the first value of a name.
        #expect(inputs.map { $0["type"] } == ["checkbox", "hidden"])
        #expect(inputs.map { $0["value"] } == ["true", "false"])
        #expect(inputs[0]["checked"] != nil)
        #expect(inputs[0]["required"] == nil)
    }

    @Test func `Settings with an error show its section`() throws {
        var page = try FlowPage.sample(.settings)
        let index = try #require(page.ui.nodes.firstIndex { $0.name == "password" })
        page.ui.nodes[index].messages = [.missing("password")]
        #expect(try tree(page).first("input") { $0["name"] == "password" } != nil)
    }

    @Test func `A new password is saved for the account by password managers`() throws {
        var page = try FlowPage.sample(.settings)
        page.account = "a@example.org"
        #expect(try tree(page).first("input") { $0["autocomplete"] == "username" } == nil)
        page.section = "password"
        let account = try #require(try tree(page).first("input") { $0["autocomplete"] == "username" })
        #expect(account["value"] == "a@example.org")
        #expect(account["hidden"] != nil)
        #expect(account["name"] == nil)
    }
}
