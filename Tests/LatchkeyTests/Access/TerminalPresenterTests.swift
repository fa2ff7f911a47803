import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTerminal
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

private let email = "reader@example.org"

@Suite(.onEachDatabase) @MainActor struct `Login on demand on a terminal` {
    /// Returns an app without a logged-in user, and a server with a reader's account.
    private func app() async throws -> TestApp<MemoryStore> {
        let server = try await TestServer(schema: "reader")
        let other = try TestApp(server)
        let created = try await other.client.signUp.register(
            ["email": .string(email)],
            password: TestAccount.password
        )
        for step in created.verifications {
            try await step.verify(server.code(for: try #require(step.address)))
        }
        // The server only sends codes to an address every 30 seconds.
        server.time.advance(by: .seconds(61))
        return try TestApp(server)
    }

    /// Sets a presenter that uses a terminal.
    ///
    /// The caller must keep a strong reference to the presenter.
    private func presenter(
        of app: TestApp<MemoryStore>,
        on terminal: ScriptedTerminal,
        languages: [String] = []
    ) -> TerminalPresenter {
        let presenter = TerminalPresenter(terminal: terminal, languages: languages)
        app.client.presenter = presenter
        return presenter
    }

    @Test func `The waiting actions run after the user has logged in with a password`() async throws {
        let app = try await app()
        let terminal = ScriptedTerminal(.line(email), "2", .line(TestAccount.password))
        let presenter = presenter(of: app, on: terminal)

        let results = await app.actions(3).results

        #expect(results.values.map { $0 } == [3])
        #expect(terminal.unexpectedPrompts == [])
        #expect(terminal.remaining == 0)
        #expect(terminal.transcript.contains("Log in (id.test)"))
        #expect(!terminal.transcript.contains { $0.contains(TestAccount.password) })
        withExtendedLifetime(presenter) {}
    }

    @Test func `The user can log in with a code and is asked again after a wrong one`() async throws {
        let app = try await app()
        let terminal = ScriptedTerminal(.line(email), "1", .idle)
        let presenter = presenter(of: app, on: terminal)
        let actions = app.actions(1)
        let code = try await app.server.code(for: email)
        await terminal.shows("/resend")
        // The action is cancelled while the prompt for the code is waiting. The next action shows the form
        // again.
        actions[0].cancel()
        #expect(await actions.results == ["cancelled": 1])

        terminal.type(.line(email), "1", .line(TestServer.wrongCode(insteadOf: code)), "/cancel")
        app.server.time.advance(by: .seconds(61))
        #expect(await app.actions(1).results == ["dismissed": 1])
        #expect(terminal.transcript.contains { $0.hasPrefix("! ") })
        withExtendedLifetime(presenter) {}
    }

    @Test func `A code that arrives after the prompt can be typed`() async throws {
        let app = try await app()
        let terminal = ScriptedTerminal(.line(email), "1", .wait)
        let presenter = presenter(of: app, on: terminal)
        let actions = app.actions(1)
        await terminal.shows("/resend")

        terminal.type(.line(try await app.server.code(for: email)))

        #expect(await actions.results.count == 1)
        #expect(app.client.sessionState.session != nil)
        #expect(terminal.unexpectedPrompts == [])
        withExtendedLifetime(presenter) {}
    }

    @Test func `A simulated user can answer all prompts`() async throws {
        let app = try await app()
        let server = app.server
        let terminal = ScriptedTerminal(.line(email), "1") { _ in .line(try await server.code(for: email)) }
        let presenter = presenter(of: app, on: terminal)

        #expect(await app.actions(1).results.count == 1)
        #expect(app.client.sessionState.session != nil)
        #expect(terminal.unexpectedPrompts == [])
        withExtendedLifetime(presenter) {}
    }

    @Test(arguments: [ScriptedTerminal.Input.line("/cancel"), .controlC, "/back", .controlD])
    func `The user can dismiss the login at the first prompt`(input: ScriptedTerminal.Input) async throws {
        let app = try await app()
        let terminal = ScriptedTerminal(input)
        let presenter = presenter(of: app, on: terminal)

        #expect(await app.actions(2).results == ["dismissed": 2])
        #expect(terminal.unexpectedPrompts == [])
        withExtendedLifetime(presenter) {}
    }

    @Test func `The user can switch from the login to a sign-up and back`() async throws {
        let app = try await app()
        let terminal = ScriptedTerminal("/signup", "/back", .line(email), "2", .line(TestAccount.password))
        let presenter = presenter(of: app, on: terminal)

        #expect(await app.actions(1).results.values.map { $0 } == [1])

        let titles = terminal.transcript.filter { $0.hasSuffix("(id.test)") }
        #expect(
            titles == [
                "Log in (id.test)", "Create an account (id.test)", "Log in (id.test)",
            ]
        )
        withExtendedLifetime(presenter) {}
    }

    @Test func `A login elsewhere ends the current prompt`() async throws {
        let app = try await app()
        let terminal = ScriptedTerminal(.idle)
        let presenter = presenter(of: app, on: terminal)
        let actions = app.actions(2)
        await terminal.shows("E-mail")

        try await app.client.signIn(email: email, password: TestAccount.password)

        #expect(await actions.results.values.map { $0 } == [2])
        #expect(terminal.unexpectedPrompts == [])
        withExtendedLifetime(presenter) {}
    }

    @Test func `A new screen replaces the current prompt`() async throws {
        let app = try await app()
        let terminal = ScriptedTerminal(.idle)
        let presenter = ObservedPresenter(presenter(of: app, on: terminal))
        app.client.presenter = presenter
        let actions = app.actions(1)
        await terminal.shows("E-mail")

        terminal.type("/cancel")
        try await #require(presenter.login).use(.signUp)

        #expect(await actions.results == ["dismissed": 1])
        #expect(terminal.transcript.contains("Create an account (id.test)"))
        withExtendedLifetime(presenter) {}
    }

    @Test func `A sign-out ends the current prompt`() async throws {
        let app = try await app()
        let terminal = ScriptedTerminal(.idle)
        let presenter = presenter(of: app, on: terminal)
        let actions = app.actions(2)
        await terminal.shows("E-mail")

        app.client.signOut()

        #expect(await actions.results == ["signedOut": 2])
        withExtendedLifetime(presenter) {}
    }

    @Test(arguments: [
        ("en", "Press Enter to try again: "), ("nb", "Trykk Enter for å prøve igjen: "),
        ("sv", "Tryck på Enter för att försöka igen: "), ("fi", "Yritä uudelleen painamalla Enter: "),
    ])
    func `A network error is shown in the user's language, and the user can try again`(
        language: String,
        prompt: String
    ) async throws {
        let app = try await app()
        app.network.inject(.unreachable, on: .get, "/a/self-service/login/api")
        let terminal = ScriptedTerminal("", .line(email), "2", .line(TestAccount.password))
        let presenter = presenter(of: app, on: terminal, languages: [language])

        #expect(await app.actions(1).results.values.map { $0 } == [1])
        #expect(terminal.transcript.contains(prompt))
        withExtendedLifetime(presenter) {}
    }

    @Test func `The user can dismiss the login after a network error`() async throws {
        let app = try await app()
        app.network.inject(.unreachable, on: .get, "/a/self-service/login/api")
        let terminal = ScriptedTerminal("/cancel")
        let presenter = presenter(of: app, on: terminal)

        #expect(await app.actions(1).results == ["dismissed": 1])
        withExtendedLifetime(presenter) {}
    }
}

/// A presenter that forwards to another presenter and gives tests access to the presented login.
@MainActor private final class ObservedPresenter: Presenter {
    private(set) var login: LoginPresentation?
    private let presenter: any Presenter

    init(_ presenter: any Presenter) {
        self.presenter = presenter
    }

    func present(_ login: LoginPresentation) async {
        self.login = login
        await presenter.present(login)
    }
}

extension ScriptedTerminal {
    /// Waits until the transcript contains the given text.
    fileprivate func shows(_ text: String) async {
        while !transcript.contains(where: { $0.contains(text) }) { await Task.yield() }
    }
}
