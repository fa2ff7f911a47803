import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Tests flows as a presenter renders them, using only the nodes in the server's forms.
@Suite(.onEachDatabase) struct `Flows rendered from forms` {
    /// Presses the button that submits a method.
    private func pressing(
        _ method: String,
        in flow: Flow,
        _ values: [String: JSONValue]
    ) throws -> FlowSubmission {
        let button = flow.nodes.first {
            $0.input?.kind == .submit && $0.name == "method" && $0.input?.value?.text == method
        }
        return FlowSubmission(pressing: try #require(button), values)
    }

    @Test func `A login succeeds after errors were shown in the form`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)
        var flow = try await app.client.flows.begin(.login)

        for password in ["", "111111"] {
            let answers = try pressing(
                "password",
                in: flow,
                ["identifier": .string(TestAccount.phone), "password": .string(password)]
            )
            guard case .continues(let next, _) = try await app.client.flows.submit(answers, to: flow) else {
                Issue.record("The flow does not continue.")
                return
            }
            #expect(next.hasErrors)
            #expect(next.id == flow.id)
            flow = next
        }
        #expect(flow.messages.map(\.id) == [4_000_006])
        let answers = try pressing(
            "password",
            in: flow,
            ["identifier": .string(TestAccount.phone), "password": .string(TestAccount.passcode)]
        )
        guard case .signedIn(let session, _) = try await app.client.flows.submit(answers, to: flow) else {
            Issue.record("No session was opened.")
            return
        }

        #expect(app.client.sessionState.session == session)
        #expect(try await app.client.checkSession().isSignedIn)
    }

    @Test func `A registration in two steps keeps the values of the first step`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        let flow = try await app.client.flows.begin(.registration)
        let answers = try pressing("code", in: flow, ["traits.email": "reader@example.org"])
        guard case .continues(let sent, _) = try await app.client.flows.submit(answers, to: flow) else {
            Issue.record("No code was sent.")
            return
        }
        #expect(sent.state == .codeSent)

        let read = try await app.client.flows.flow(.registration, id: sent.id)
        let code = try await app.server.code(for: "reader@example.org")
        let outcome = try await app.client.flows.submit(
            try pressing("code", in: read, ["code": .string(code)]),
            to: read
        )

        guard case .signedIn(let session, _) = outcome else {
            Issue.record("No session was opened: \(outcome)")
            return
        }
        #expect(session.identity.email?.address == "reader@example.org")
    }

    @Test func `Saved settings combine the form's values with the user's input`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        try await app.client.signUp.register(
            ["email": "reader@example.org", "name": ["given": "User", "family": "Test"]],
            password: TestAccount.password
        )
        let flow = try await app.client.flows.begin(.settings)
        #expect(flow.state == .settings)
        #expect(flow.node(named: "traits.name.given")?.input?.value == "User")

        let answers = try pressing("profile", in: flow, ["traits.name.given": "Other"])
        guard case .completed(let saved, _) = try await app.client.flows.submit(answers, to: flow) else {
            Issue.record("The settings were not saved.")
            return
        }

        #expect(saved.state == .saved)
        #expect(saved.messages.map(\.id) == [1_050_001])
        #expect(
            saved.identity?.traits["name"] == ["given": "Other", "family": "Test"]
        )
        #expect(saved.identity?.traits["email"] == "reader@example.org")
    }

    @Test func `An expired flow refers to its replacement`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)
        let flow = try await app.client.flows.begin(.login)
        server.time.advance(by: .seconds(7200))
        let answers = FlowSubmission(
            method: "password",
            ["identifier": .string(TestAccount.phone), "password": .string(TestAccount.passcode)]
        )

        guard case .replaced(let id) = try await app.client.flows.submit(answers, to: flow) else {
            Issue.record("The flow was not replaced.")
            return
        }

        let next = try await app.client.flows.flow(.login, id: id)
        #expect(next.messages.map(\.id) == [4_010_001])
        guard case .signedIn = try await app.client.flows.submit(answers, to: next) else {
            Issue.record("The replacement does not log in.")
            return
        }
    }

    @Test func `After the user has re-authenticated, the same input is accepted`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        try await app.client.signUp.register(
            ["email": "reader@example.org"],
            password: TestAccount.password
        )
        app.server.time.advance(by: .seconds(3601))
        let flow = try await app.client.flows.begin(.settings)
        let answers = FlowSubmission(method: "password", ["password": "another-Horse-8"])
        #expect(try await app.client.flows.submit(answers, to: flow) == .reauthenticationRequired)

        let login = try await app.client.flows.begin(.login, reauthenticating: true)
        #expect(login.isReauthentication)
        let outcome = try await app.client.flows.submit(
            try pressing(
                "password",
                in: login,
                ["identifier": "reader@example.org", "password": .string(TestAccount.password)]
            ),
            to: login
        )
        guard case .signedIn = outcome else {
            Issue.record("The session was not renewed.")
            return
        }

        guard case .completed = try await app.client.flows.submit(answers, to: flow) else {
            Issue.record("The password was not changed.")
            return
        }
    }

    @Test func `An unknown flow is reported as unknown`() async throws {
        let app = try TestApp(await TestServer())
        let unknown = Flow(id: "6805806c-97d4-4c75-a78c-c1e7e926aba2", kind: .login)

        let submitted = await failure {
            try await app.client.flows.submit(FlowSubmission(method: "password"), to: unknown)
        }
        let read = await failure { try await app.client.flows.flow(.login, id: "../sessions/whoami") }

        #expect(submitted?.code == .flowUnknown)
        #expect(read?.code == .flowUnknown || read?.code == .refused)
    }
}
