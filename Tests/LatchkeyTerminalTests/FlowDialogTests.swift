import LatchkeyCore
import LatchkeyModel
import LatchkeyTerminal
import LatchkeyTesting
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Terminal dialogs` {
    private static let session = UserSession(
        id: "session",
        identity: Identity(id: "identity", schema: "person")
    )

    private static let signedIn = FlowOutcome.signedIn(session, next: [])

    private static let login = Flow(
        id: "login",
        kind: .login,
        nodes: [
            .field("identifier", "E-mail or phone"),
            .button("method", "code", "Send a code", in: .code),
            .field("password", "Password", in: .password, kind: .password, autocomplete: "current-password"),
            .button("method", "password", "Log in with a password", in: .password),
        ]
    )

    private static let codeSent = Flow(
        id: "login",
        kind: .login,
        state: .codeSent,
        activeMethod: "code",
        nodes: [
            .field("identifier", "E-mail or phone", kind: .hidden, value: "user@example.org"),
            .field("method", "", in: .code, kind: .hidden, value: "code"),
            .field("code", "Code", in: .code, autocomplete: "one-time-code"),
            .button("method", "code", "Continue", in: .code),
            .button("resend", "code", "Send the code again", in: .code),
        ],
        messages: [FlowMessage(id: 1_010_014, text: "A code was sent to you.", severity: .info)]
    )

    private func run(
        _ flows: FakeFlows,
        on terminal: ScriptedTerminal,
        _ kind: Flow.Kind = .login,
        languages: [String] = []
    ) async throws -> FlowOutcome? {
        let outcome = try await FlowDialog(terminal: terminal, flows: flows, languages: languages).run(kind)
        #expect(terminal.remaining == 0)
        #expect(terminal.unexpectedPrompts == [])
        return outcome
    }

    @Test(
        arguments: [(nil, "Logga in (id.example.com)"), (["nb"], "Logg inn (id.example.com)")]
            as [([String]?, String)]
    )
    func `The languages of the client are used unless others are given`(
        _ languages: [String]?,
        _ heading: String
    ) async throws {
        let flows = FakeFlows(Self.login, languages: ["sv-SE", "en"])
        let terminal = ScriptedTerminal("/cancel")

        _ = try await FlowDialog(terminal: terminal, flows: flows, languages: languages).run(.login)

        #expect(terminal.transcript.contains(heading))
    }

    @Test func `A login asks for the identifier, then the method, and then the password`() async throws {
        let flows = FakeFlows(Self.login, outcomes: [.success(Self.signedIn)])
        let terminal = ScriptedTerminal("user@example.org", "2", "a secret")

        #expect(try await run(flows, on: terminal) == Self.signedIn)

        #expect(
            flows.answers == [
                FlowSubmission(
                    method: "password",
                    ["identifier": "user@example.org", "password": "a secret"]
                )
            ]
        )
        #expect(
            terminal.transcript == [
                "", "Log in (id.example.com)", "(/back: go back, /cancel: cancel)",
                "E-mail or phone: user@example.org",
                "  1  Send a code", "  2  Log in with a password", "Choose a number from 1 to 2 [1]: 2",
                "The input is not shown. Press Control-D to go back.", "Password: ********",
            ]
        )
    }

    @Test(arguments: ["2", "٢", "२", "２"])
    func `A method can be chosen with the digits of any script`(number: String) async throws {
        let flows = FakeFlows(Self.login, outcomes: [.success(Self.signedIn)])
        let terminal = ScriptedTerminal("user@example.org", .line(number), "a secret")

        #expect(try await run(flows, on: terminal) == Self.signedIn)
        #expect(flows.answers.map(\.method) == ["password"])
    }

    @Test
    func `Empty input selects the first method, and a code can be sent again`()
        async throws
    {
        let flows = FakeFlows(
            Self.login,
            outcomes: [
                .success(.continues(Self.codeSent, next: [])), .success(.continues(Self.codeSent, next: [])),
                .success(Self.signedIn),
            ]
        )
        let terminal = ScriptedTerminal("user@example.org", "", "/resend", "271501")

        #expect(try await run(flows, on: terminal) == Self.signedIn)

        #expect(
            flows.answers == [
                FlowSubmission(method: "code", ["identifier": "user@example.org"]),
                FlowSubmission(method: "code", ["resend": "code"]),
                FlowSubmission(method: "code", ["code": "271501"]),
            ]
        )
        #expect(terminal.transcript.contains("A code was sent to you."))
        #expect(
            terminal.transcript.contains(
                "(/resend: Send the code again, /back: go back, /cancel: cancel)"
            )
        )
    }

    @Test func `Going back returns to the previous prompt, or leaves the dialog at the first prompt`()
        async throws
    {
        let left = try await run(FakeFlows(Self.login), on: ScriptedTerminal("/back"))
        #expect(left == nil)

        let flows = FakeFlows(Self.login, outcomes: [.success(Self.signedIn)])
        let terminal = ScriptedTerminal(
            "wrong@example.org",
            "2",
            .controlD,
            "/back",
            "user@example.org",
            "2",
            "a secret"
        )
        #expect(try await run(flows, on: terminal) == Self.signedIn)
        #expect(flows.answers.map { $0["identifier"] } == ["user@example.org"])
    }

    @Test func `Going back from the prompt for a code starts the flow again`() async throws {
        let flows = FakeFlows(
            Self.login,
            outcomes: [.success(.continues(Self.codeSent, next: [])), .success(Self.signedIn)]
        )
        let terminal = ScriptedTerminal("user@example.org", "1", "/back", "", "2", "a secret")

        #expect(try await run(flows, on: terminal) == Self.signedIn)

        #expect(flows.begun == ["begin login", "begin login"])
        #expect(flows.answers.last?["identifier"] == "user@example.org")
    }

    @Test(arguments: [ScriptedTerminal.Input.line("/cancel"), .controlC])
    func `Cancelling ends the dialog without a submission`(input: ScriptedTerminal.Input) async throws {
        let flows = FakeFlows(Self.login)

        #expect(try await run(flows, on: ScriptedTerminal(input)) == nil)
        #expect(flows.answers == [])
    }

    @Test func `A value that starts with a slash is typed with two slashes`() async throws {
        let flows = FakeFlows(Self.login, outcomes: [.success(Self.signedIn)])

        _ = try await run(flows, on: ScriptedTerminal("//cancel", "2", "/cancel"))

        #expect(
            flows.answers == [
                FlowSubmission(method: "password", ["identifier": "/cancel", "password": "/cancel"])
            ]
        )
    }

    @Test func `If input is rejected, messages are shown and earlier values are suggested`() async throws {
        var rejected = Self.login
        rejected.messages = [
            FlowMessage(id: 4_000_006, text: "The credentials are invalid.", severity: .error)
        ]
        let flows = FakeFlows(
            Self.login,
            outcomes: [.success(.continues(rejected, next: [])), .success(Self.signedIn)]
        )
        let terminal = ScriptedTerminal("user@example.org", "2", "wrong", "", "2", "right")

        _ = try await run(flows, on: terminal)

        #expect(terminal.transcript.contains("! The credentials are invalid."))
        #expect(terminal.transcript.contains("E-mail or phone [user@example.org]: "))
        #expect(flows.answers.map { $0["password"] } == ["wrong", "right"])
        #expect(!terminal.transcript.contains { $0.contains("wrong") || $0.contains("right") })
    }

    @Test(arguments: [LatchkeyError.Code.unreachable, .timedOut, .serverFailed, .tooManyRequests])
    func `A temporary error is shown, and the user can try again`(code: LatchkeyError.Code) async throws {
        let error = LatchkeyError(code, message: "It did not work.")
        let flows = FakeFlows(Self.login, outcomes: [.failure(error), .success(Self.signedIn)])
        let terminal = ScriptedTerminal("user@example.org", "2", "a secret", "", "2", "a secret")

        #expect(try await run(flows, on: terminal) == Self.signedIn)
        #expect(terminal.transcript.contains("! It did not work."))
    }

    @Test(arguments: [LatchkeyError.Code.storageFailed, .flowDisabled, .superseded])
    func `An error that the user cannot correct ends the dialog`(code: LatchkeyError.Code) async throws {
        let error = LatchkeyError(code, message: "It did not work.")
        let flows = FakeFlows(Self.login, outcomes: [.failure(error)])

        let thrown = await #expect(throws: LatchkeyError.self) {
            _ = try await run(flows, on: ScriptedTerminal("user@example.org", "2", "a secret"))
        }
        #expect(thrown?.code == code)
    }

    @Test func `An expired flow is started again`() async throws {
        let expired = LatchkeyError(.flowExpired, message: "The flow has expired.")
        let flows = FakeFlows(
            Self.login,
            outcomes: [.failure(expired), .success(.replaced(by: "other")), .success(Self.signedIn)]
        )
        let terminal = ScriptedTerminal(
            "user@example.org",
            "2",
            "a secret",
            "",
            "2",
            "a secret",
            "",
            "2",
            "a secret"
        )

        #expect(try await run(flows, on: terminal) == Self.signedIn)
        #expect(flows.begun == ["begin login", "begin login", "read login other"])
    }

    private static let settings = Flow(
        id: "settings",
        kind: .settings,
        state: .settings,
        nodes: [
            .field("traits.email", "E-mail", in: .profile, kind: .email, value: "user@example.org"),
            .field("traits.nickname", "Nickname", in: .profile, value: "Ann", isRequired: false),
            .field(
                "traits.news",
                "Newsletter",
                in: .profile,
                kind: .checkbox,
                value: false,
                isRequired: false
            ),
            .field(
                "traits.size",
                "Size",
                in: .profile,
                options: [.init(value: "s", label: "Small"), .init(value: "l", label: "Large")]
            ),
            .button("method", "profile", "Save", in: .profile),
            .field("password", "Password", in: .password, kind: .password, autocomplete: "new-password"),
            .button("method", "password", "Save", in: .password),
        ]
    )

    @Test func `Settings can be kept, changed and removed`() async throws {
        let saved = FlowOutcome.completed(Self.settings, next: [])
        let flows = FakeFlows(Self.settings, outcomes: [.success(saved)])
        let terminal = ScriptedTerminal("1", "", "-", "y", "9", "2")

        #expect(try await run(flows, on: terminal, .settings) == saved)

        #expect(
            flows.answers == [
                FlowSubmission(
                    method: "profile",
                    [
                        "traits.email": "user@example.org", "traits.nickname": .null, "traits.news": true,
                        "traits.size": "l",
                    ]
                )
            ]
        )
        #expect(terminal.transcript.contains("  1  Change your details"))
        #expect(terminal.transcript.contains("Nickname (optional, - to remove) [Ann]: -"))
        #expect(terminal.transcript.contains("Enter a number from 1 to 2."))
    }

    @Test func `A new password is entered twice until both inputs are equal`() async throws {
        let flows = FakeFlows(
            Self.settings,
            outcomes: [.success(.completed(Self.settings, next: []))]
        )
        let terminal = ScriptedTerminal("2", "first", "other", "second", "second")

        _ = try await run(flows, on: terminal, .settings)

        #expect(flows.answers == [FlowSubmission(method: "password", ["password": "second"])])
        #expect(terminal.transcript.contains("The passwords do not match."))
    }

    @Test func `A change that requires re-authentication is submitted again afterwards`()
        async throws
    {
        let flows = FakeFlows(
            Self.settings,
            Self.login,
            outcomes: [
                .success(.reauthenticationRequired), .success(Self.signedIn),
                .success(.completed(Self.settings, next: [])),
            ]
        )
        let terminal = ScriptedTerminal("2", "new", "new", "user@example.org", "2", "a secret")

        _ = try await run(flows, on: terminal, .settings)

        #expect(flows.begun == ["begin settings", "reauthenticate login"])
        #expect(flows.answers.map(\.method) == ["password", "password", "password"])
        #expect(flows.answers.map { $0["password"] } == ["new", "a secret", "new"])
    }

    private static let verification = Flow(
        id: "verification",
        kind: .verification,
        state: .codeSent,
        nodes: [
            .field("code", "Code", in: .code, autocomplete: "one-time-code"),
            .button("method", "code", "Continue", in: .code),
        ]
    )

    @Test func `After registration, the dialog asks the user to verify the address, which can be postponed`()
        async throws
    {
        var registration = Self.login
        registration.kind = .registration
        let registered = FlowOutcome.signedIn(
            Self.session,
            next: [.verification(flow: "verification", address: "user@example.org")]
        )
        let flows = FakeFlows(registration, Self.verification, outcomes: [.success(registered)])
        let terminal = ScriptedTerminal("user@example.org", "2", "a secret", "/cancel")

        #expect(try await run(flows, on: terminal, .registration) == registered)

        #expect(flows.begun == ["begin registration", "read verification verification"])
        #expect(
            terminal.transcript.contains(
                "A code was sent to user@example.org. Enter it to verify the address."
            )
        )
    }

    @Test func `After a recovery, the dialog asks for a new password`() async throws {
        var recovery = Self.verification
        recovery.kind = .recovery
        let recovered = FlowOutcome.signedIn(Self.session, next: [.settings(flow: "settings")])
        let flows = FakeFlows(
            recovery,
            Self.settings,
            outcomes: [.success(recovered), .success(.completed(Self.settings, next: []))]
        )
        let terminal = ScriptedTerminal("271501", "", "new", "new")

        #expect(try await run(flows, on: terminal, .recovery) == recovered)
        #expect(flows.answers.last == FlowSubmission(method: "password", ["password": "new"]))
    }

    @Test(arguments: [
        ("en", "Log in"), ("nb-NO", "Logg inn"), ("no", "Logg inn"), ("sv-FI", "Logga in"),
        ("fi", "Kirjaudu sisään"), ("de", "Log in"),
    ])
    func `The dialog's title is in the user's language`(tag: String, title: String) async throws {
        let terminal = ScriptedTerminal("/cancel")

        _ = try await run(FakeFlows(Self.login), on: terminal, languages: ["xx", tag])

        #expect(terminal.transcript.dropFirst().first == "\(title) (id.example.com)")
    }

    @Test func `Text from the server can't control the terminal`() async throws {
        var hostile = Self.login
        hostile.messages = [
            FlowMessage(id: 0, text: "\u{1B}[2JHello\r\n\u{9B}31mPassword:\u{202E}\u{7}", severity: .info)
        ]
        hostile.nodes[0] = .field("identifier", "Name\u{1B}]0;title\u{7}", value: "a\u{8}b")
        let terminal = ScriptedTerminal("/cancel")

        _ = try await run(FakeFlows(hostile), on: terminal)

        #expect(terminal.transcript.contains("[2JHello  31mPassword:"))
        #expect(terminal.transcript.last == "Name]0;title [ab]: /cancel")
    }

    @Test func `A form without inputs is not submitted automatically`() async throws {
        let form = Flow(
            id: "login",
            kind: .login,
            nodes: [.button("method", "code", "Send a code", in: .code)]
        )
        let flows = FakeFlows(form, outcomes: [.success(Self.signedIn)])

        #expect(try await run(flows, on: ScriptedTerminal("")) == Self.signedIn)
        #expect(try await run(FakeFlows(Flow(id: "login", kind: .login)), on: ScriptedTerminal()) == nil)
    }
}
