import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyPages
@testable import LatchkeySelfService

@Suite struct `Hostile texts in pages` {
    private static let script = "\"'><script>alert(1)</script>"

    private static func pages() throws -> [PageSample] {
        let client = PageClient(
            id: script,
            name: script,
            clientURI: "https://a.example/" + script,
            logoURI: "https://a.example/" + script,
            policyURI: "https://a.example/?" + script,
            termsURI: "https://a.example/#" + script
        )
        let form = PageForm(
            action: .root,
            csrfToken: script,
            fields: [FormField(name: script, value: script)]
        )
        let time = Timestamp(seconds: 0)
        let scope = ConsentPage.Scope(script, description: script)
        let unnamed = ConsentPage.Scope(script)
        return try flows(client: client) + [
            .init("welcome", page: WelcomePage(account: script)),
            .init(
                "sessions",
                page: SessionsPage(
                    [
                        .init(
                            id: script,
                            name: script,
                            client: script,
                            place: script,
                            lastUsed: time,
                            isOwn: false
                        )
                    ],
                    form: form
                )
            ),
            .init(
                "consent",
                page: ConsentPage(
                    client: client,
                    account: script,
                    destination: .host(UntrustedText(script)),
                    question: .scopes([scope, unnamed]),
                    form: form
                )
            ),
            .init("chooser", page: AccountChoicePage(account: script, client: client, form: form)),
            .init(
                "hand-over",
                page: HandoverPage(client: client, account: script, current: script, form: form)
            ),
            .init("logout", page: LogoutPage(account: script, form: form)),
            .init(
                "link",
                page: MailedLinkPage(
                    .verification,
                    address: script,
                    client: client,
                    requestedAt: time,
                    place: script,
                    form: form,
                    report: .root
                )
            ),
            .init("notice", page: NoticePage(.requestExpired, client: client)),
            .init(
                "error",
                page: ErrorPage(
                    .serverProblem,
                    reference: script,
                    way: .startAgain(.root.adding("flow", value: script)),
                    request: .init(client: client, cancel: form)
                )
            ),
        ]
    }

    private static func flows(client: PageClient) throws -> [PageSample] {
        var form = Form(values: ["identifier": .string(script)], messages: [.refusal(script)])
        form.refuse("identifier", with: .refusal(script))
        form.refuse(script, with: .refusal(script))
        var page = try FlowPage.sample(.login, form: form, returnTo: script)
        page.request = .init(client: client, cancel: .root)
        page.parameters.loginChallenge = script
        var nodes = page.ui.nodes
        let label = UIMessage.Label.trait(script, title: script)
        for type in ["text", "checkbox", "hidden", "submit", script] {
            nodes.append(
                UINode(
                    group: script,
                    attributes: .init(
                        name: script + type,
                        type: type,
                        value: .string(script),
                        autocomplete: script,
                        pattern: script
                    ),
                    messages: [.refusal(script)],
                    label: label
                )
            )
        }
        nodes.append(
            UINode(group: script, link: .init(href: "com.example:/" + script, title: label, id: script))
        )
        page.ui.nodes = nodes
        return [.init("flow", page: page)]
    }

    @Test(arguments: try pages()) func `Scripts in names, addresses and texts stay texts`(
        _ sample: PageSample
    ) throws {
        let texts = FormTranslations(replacing: [.english: ["Sign in": Self.script, "Cancel": Self.script]])
        let response = try sample.response(texts: texts, service: Self.script)
        let tree = try HTMLTree.parse(response.body)
        let names = Set(tree.all.map(\.name))
        #expect(names.isDisjoint(with: ["script", "style"]))
        #expect(tree.all.flatMap(\.attributes).allSatisfy { !$0.name.hasPrefix("on") })
        #expect(tree.text.contains("<script>alert(1)</script>"))
        #expect(!String(decoding: response.body, as: UTF8.self).contains("<script"))
    }
}
