import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

@Suite struct `Form nodes` {
    private typealias Label = UIMessage.Label

    /// Returns the form nodes for a flow.
    private static func nodes(
        _ flow: Flow,
        schema: IdentitySchema,
        settings: FormSettings = .methods(),
        form: Form = Form()
    ) -> [UINode] {
        MethodForms(settings).nodes(in: FormContext(flow, schema: schema, form: form))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let flow: Flow
        var schema = "person"
        var settings = FormSettings.methods()
        var form = Form()
        let nodes: [UINode]
    }

    private static let csrfToken = UINode(
        group: "default",
        attributes: .init(name: "csrf_token", type: "hidden", value: "", required: true)
    )

    private static func identifier(
        _ type: String = "text",
        value: String = "",
        label: UIMessage = Label.identifier
    ) -> UINode {
        UINode(
            group: "default",
            attributes: .init(name: "identifier", type: type, value: .string(value), required: true),
            label: label
        )
    }

    private static func button(
        _ group: String,
        name: String = "method",
        value: String? = nil,
        label: UIMessage
    ) -> UINode {
        UINode(
            group: group,
            attributes: .init(name: name, type: "submit", value: .string(value ?? group)),
            label: label
        )
    }

    private static func password(_ autocomplete: String, submit label: UIMessage) -> [UINode] {
        [
            UINode(
                group: "password",
                attributes: .init(
                    name: "password",
                    type: "password",
                    required: true,
                    autocomplete: autocomplete
                ),
                label: Label.password
            ), button("password", label: label),
        ]
    }

    private static func code(
        _ label: UIMessage,
        pattern: String? = nil,
        maxlength: Int? = nil,
        resend: String,
        value: String
    ) -> [UINode] {
        [
            UINode(group: "code", attributes: .init(name: "method", type: "hidden", value: "code")),
            UINode(
                group: "code",
                attributes: .init(
                    name: "code",
                    type: "text",
                    required: true,
                    autocomplete: "one-time-code",
                    pattern: pattern,
                    maxlength: maxlength
                ),
                label: label
            ), button("code", label: Label.proceed),
            button("code", name: resend, value: value, label: Label.resend),
        ]
    }

    private static func address(
        _ type: String,
        label: UIMessage,
        value: JSONValue? = nil
    ) -> [UINode] {
        [
            UINode(
                group: "code",
                attributes: .init(name: "email", type: type, value: value, required: true),
                label: label
            ), button("code", label: Label.proceed),
        ]
    }

    private static func trait(
        _ name: String,
        group: String,
        type: String,
        title: String? = nil,
        value: JSONValue? = nil,
        required: Bool? = nil,
        autocomplete: String? = nil
    ) -> UINode {
        UINode(
            group: group,
            attributes: .init(
                name: name,
                type: type,
                value: value,
                required: required,
                autocomplete: autocomplete
            ),
            label: title.map { Label.trait(name, title: $0) }
        )
    }

    /// The fields of the built-in `person` schema.
    private static func person(
        group: String = "default",
        isHidden: Bool = false,
        email: JSONValue? = nil
    ) -> [UINode] {
        [
            trait(
                "traits.email",
                group: group,
                type: isHidden ? "hidden" : "email",
                title: "E-mail",
                value: email,
                required: true,
                autocomplete: "email"
            ),
            trait(
                "traits.phone",
                group: group,
                type: isHidden ? "hidden" : "tel",
                title: "Phone number",
                required: true,
                autocomplete: "tel"
            ),
            trait("traits.name", group: group, type: isHidden ? "hidden" : "text", title: "Name"),
        ]
    }

    static let logins = [
        Row(
            testDescription: "a login",
            flow: .sample(.login),
            nodes: [csrfToken, identifier(), button("code", label: Label.sendSignInCode)]
                + password("current-password", submit: Label.signInWithPassword)
        ),
        Row(
            testDescription: "a login without codes",
            flow: .sample(.login),
            settings: .methods(code: false),
            nodes: [csrfToken, identifier()]
                + password("current-password", submit: Label.signInWithPassword)
        ),
        Row(
            testDescription: "a login without passwords",
            flow: .sample(.login),
            settings: .methods(password: false),
            nodes: [csrfToken, identifier(), button("code", label: Label.sendSignInCode)]
        ),
        Row(
            testDescription: "a login without any method",
            flow: .sample(.login),
            settings: .methods(password: false, code: false),
            nodes: [csrfToken, identifier()]
        ),
        Row(
            testDescription: "a re-authentication without any method",
            flow: .sample(.login, refresh: true),
            settings: .methods(password: false, code: false),
            nodes: [csrfToken, identifier("hidden")]
        ),
        Row(
            testDescription: "a second step without any method",
            flow: .sample(.login, aal: .aal2),
            nodes: []
        ),
        Row(
            testDescription: "a login that waits for its code after codes were turned off",
            flow: .sample(.login, state: .sentEmail, address: "ann@example.org"),
            settings: .methods(code: false),
            nodes: [csrfToken, identifier("hidden", value: "ann@example.org")]
                + code(Label.loginCode, resend: "resend", value: "code")
        ),
        Row(
            testDescription: "a login with an identifier to show again",
            flow: .sample(.login),
            settings: .methods(code: false),
            form: Form(values: ["identifier": "ann"]),
            nodes: [csrfToken, identifier(value: "ann")]
                + password("current-password", submit: Label.signInWithPassword)
        ),
        Row(
            testDescription: "a login of a schema with one identifier",
            flow: .sample(.login),
            schema: "customer",
            nodes: [csrfToken, identifier(label: Label.trait("traits.phone", title: "Phone number"))]
                + password("current-password", submit: Label.signInWithPassword)
        ),
        Row(
            testDescription: "a login of a schema whose one identifier has no title",
            flow: .sample(.login),
            schema: "untitled",
            nodes: [csrfToken, identifier()]
                + password("current-password", submit: Label.signInWithPassword)
        ),
        Row(
            testDescription: "a re-authentication",
            flow: .sample(.login, refresh: true),
            nodes: [csrfToken, identifier(), button("code", label: Label.sendSignInCode)]
                + password("current-password", submit: Label.signIn)
        ),
        Row(
            testDescription: "a re-authentication without codes",
            flow: .sample(.login, refresh: true),
            settings: .methods(code: false),
            form: Form(values: ["identifier": "ann"]),
            nodes: [csrfToken, identifier("hidden", value: "ann")]
                + password("current-password", submit: Label.signIn)
        ),
        Row(
            testDescription: "a login that waits for its code",
            flow: .sample(.login, state: .sentEmail, address: "ann@example.org"),
            form: Form(values: ["identifier": "bob"]),
            nodes: [csrfToken, identifier("hidden", value: "ann@example.org")]
                + code(Label.loginCode, resend: "resend", value: "code")
        ),
        Row(
            testDescription: "a login that waits for a code without an address",
            flow: .sample(.login, state: .sentEmail),
            form: Form(values: ["identifier": "bob"]),
            nodes: [csrfToken, identifier("hidden")]
                + code(Label.loginCode, resend: "resend", value: "code")
        ),
    ]

    static let registrations = [
        Row(
            testDescription: "a registration in one step",
            flow: .sample(.registration),
            nodes: [csrfToken] + person() + [button("code", label: Label.sendSignUpCode)]
                + password("new-password", submit: Label.signUp)
        ),
        Row(
            testDescription: "a registration without codes",
            flow: .sample(.registration),
            settings: .methods(code: false),
            form: Form(values: ["traits.email": "ann@example.org"]),
            nodes: [csrfToken] + person(email: "ann@example.org")
                + password("new-password", submit: Label.signUp)
        ),
        Row(
            testDescription: "a registration without passwords",
            flow: .sample(.registration),
            settings: .methods(password: false),
            nodes: [csrfToken] + person() + [button("code", label: Label.sendSignUpCode)]
        ),
        Row(
            testDescription: "the first of two steps",
            flow: .sample(.registration),
            settings: .methods(style: .profileFirst),
            nodes: [csrfToken] + person() + [button("profile", label: Label.signUp)]
        ),
        Row(
            testDescription: "the second of two steps",
            flow: .sample(.registration, traits: "{}"),
            settings: .methods(style: .profileFirst),
            nodes: [csrfToken] + person(isHidden: true) + [button("code", label: Label.sendSignUpCode)]
                + password("new-password", submit: Label.signUp)
                + [button("profile", name: "screen", value: "previous", label: Label.back)]
        ),
        Row(
            testDescription: "a registration that waits for its code",
            flow: .sample(.registration, state: .sentEmail, traits: "{}"),
            form: Form(values: ["traits.email": "ann@example.org"]),
            nodes: [csrfToken] + person(isHidden: true, email: "ann@example.org")
                + code(Label.registrationCode, resend: "resend", value: "code")
        ),
        Row(
            testDescription: "traits of every type",
            flow: .sample(.registration),
            schema: "types",
            settings: .methods(password: false),
            form: Form(values: ["traits.age": .integer(7)]),
            nodes: [
                csrfToken, trait("traits.news", group: "default", type: "checkbox"),
                trait("traits.age", group: "default", type: "number", value: .integer(7)),
                trait("traits.size", group: "default", type: "number"),
                trait("traits.born", group: "default", type: "date"),
                trait("traits.home.town", group: "default", type: "text"),
                trait("traits.name", group: "default", type: "text"),
            ]
        ),
    ]

    static let settings = [
        Row(
            testDescription: "settings",
            flow: .sample(.settings),
            nodes: [csrfToken] + person(group: "profile") + [button("profile", label: Label.save)]
                + password("new-password", submit: Label.save)
        ),
        Row(
            testDescription: "settings without passwords",
            flow: .sample(.settings),
            settings: .methods(password: false),
            nodes: [csrfToken] + person(group: "profile") + [button("profile", label: Label.save)]
        ),
        Row(
            testDescription: "settings that were saved",
            flow: .sample(.settings, state: .success),
            settings: .methods(password: false),
            nodes: [csrfToken] + person(group: "profile") + [button("profile", label: Label.save)]
        ),
    ]

    static let challenges = [
        Row(
            testDescription: "a recovery by mail",
            flow: .sample(.recovery),
            form: Form(values: ["email": "ann"]),
            nodes: [csrfToken] + address("email", label: Label.email, value: "ann")
        ),
        Row(
            testDescription: "a recovery by mail or text message",
            flow: .sample(.recovery),
            schema: "reader",
            nodes: [csrfToken] + address("text", label: Label.emailOrPhone)
        ),
        Row(
            testDescription: "a recovery by text message",
            flow: .sample(.recovery),
            schema: "shopper",
            nodes: [csrfToken] + address("tel", label: Label.phone)
        ),
        Row(
            testDescription: "a recovery of a schema without recovery addresses",
            flow: .sample(.recovery),
            schema: "untitled",
            nodes: [csrfToken] + address("email", label: Label.email)
        ),
        Row(
            testDescription: "a recovery that waits for its code",
            flow: .sample(.recovery, state: .sentEmail, address: "ann@example.org"),
            nodes: [csrfToken]
                + code(
                    Label.recoveryCode,
                    pattern: "[0-9]+",
                    maxlength: 6,
                    resend: "email",
                    value: "ann@example.org"
                )
        ),
        Row(
            testDescription: "a recovery that succeeded",
            flow: .sample(.recovery, state: .passedChallenge),
            nodes: [csrfToken]
                + code(Label.recoveryCode, pattern: "[0-9]+", maxlength: 6, resend: "email", value: "")
        ),
        // The `person` schema uses two channels for verification, but only one for recovery.
        Row(
            testDescription: "a verification",
            flow: .sample(.verification),
            form: Form(values: ["email": "ann"]),
            nodes: address("text", label: Label.emailOrPhone, value: "ann")
        ),
        Row(
            testDescription: "a verification in a browser",
            flow: .sample(.verification, type: .browser),
            form: Form(values: ["email": "ann"]),
            nodes: [csrfToken] + address("text", label: Label.emailOrPhone, value: "ann")
        ),
        Row(
            testDescription: "a verification that waits for its code",
            flow: .sample(.verification, state: .sentEmail, address: "ann@example.org"),
            nodes: code(Label.verificationCode, resend: "email", value: "ann@example.org")
        ),
        Row(
            testDescription: "a verification that waits for a code without an address",
            flow: .sample(.verification, state: .sentEmail),
            nodes: code(Label.verificationCode, resend: "email", value: "")
        ),
        Row(
            testDescription: "a verification that succeeded",
            flow: .sample(.verification, state: .passedChallenge),
            nodes: [csrfToken]
        ),
    ]

    private static func schema(_ id: String) throws -> IdentitySchema {
        switch id {
        case "untitled":
            try .sample(id, properties: IdentitySchema.nameProperty)
        case "types":
            try .sample(
                id,
                properties: """
                    "news": {"type": "boolean"}, "age": {"type": "integer"}, "size": {"type": "number"}, \
                    "born": {"type": "string", "format": "date"}, \
                    "home": {"type": "object", "properties": {"town": {"type": "string"}}}, \
                    \(IdentitySchema.nameProperty)
                    """
            )
        default: try .sample(id)
        }
    }

    @Test(arguments: logins + registrations + settings + challenges)
    func `Nodes depend on the flow, its schema and the enabled methods`(row: Row) throws {
        let nodes = Self.nodes(
            row.flow,
            schema: try Self.schema(row.schema),
            settings: row.settings,
            form: row.form
        )
        #expect(nodes == row.nodes)
    }

    @Test func `The nodes for a new flow don't depend on whether the flow exists yet`() throws {
        for kind in FlowKind.allCases {
            let schema = try IdentitySchema.sample("person")
            let nodes = MethodForms(.methods()).nodes(in: FormContext(kind, schema: schema))
            #expect(nodes == Self.nodes(.sample(kind), schema: schema), "\(kind)")
        }
    }

    @Test func `Messages are attached to the nodes for their fields, and missing nodes are added`() throws {
        var form = Form(messages: [.invalidCredentials])
        form.refuse("password", with: .passwordTooShort(1, minimum: 8))
        form.refuse("traits", with: .traitsChanged)
        form.refuse("password", with: .passwordSimilar)
        let nodes = Self.nodes(
            .sample(.settings),
            schema: try Self.schema("untitled"),
            form: form
        )
        var password = Self.password("new-password", submit: Label.save)
        password[0].messages = [.passwordTooShort(1, minimum: 8), .passwordSimilar]
        #expect(
            nodes == [
                Self.csrfToken, Self.trait("traits.name", group: "profile", type: "text"),
                Self.button("profile", label: Label.save),
            ] + password + [
                UINode(
                    group: "default",
                    attributes: .init(name: "traits", type: "text"),
                    messages: [.traitsChanged]
                )
            ]
        )
    }
}
