import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@MainActor @Suite(.exclusiveOnside) struct `Logins in the store app on a terminal` {
    /// Starts an app on a terminal, whose store app leaves requests unanswered.
    private func started(
        _ terminal: ScriptedTerminal,
        languages: [String] = ["en"]
    ) async throws -> (app: OnsideApp, store: StoreAppOnDevice, presenter: OnsideTerminalPresenter) {
        try await OnsideRoute.$current.withValue(.appToApp) {
            let app = try await OnsideApp.started(languages: languages)
            let store = try #require(app.storeApp)
            store.decision = .ignore
            let presenter = OnsideTerminalPresenter(terminal: terminal)
            app.configuration.presenter = presenter
            try Onside.initialize(configuration: app.configuration)
            return (app, store, presenter)
        }
    }

    @Test func `The user opens the store app again, and confirms there`() async throws {
        let terminal = ScriptedTerminal("", "", .idle)
        let (app, store, presenter) = try await started(terminal)

        let result = Task { await answer { Onside.requestLogin(completion: $0) } }
        await eventually { store.opened.count == 3 && terminal.remaining == 0 }
        await store.answer(store.opened[0], with: .approve)

        #expect(await result.value.error == nil)
        #expect(Set(store.opened).count == 1)
        #expect(
            terminal.transcript.prefix(3) == [
                "Continue in Onside.", "(/back: log in here, /cancel: cancel)",
                "Press Enter to open the app again: ",
            ]
        )
        withExtendedLifetime(presenter) {}
        await app.server.stop()
    }

    @Test func `The user logs in with a phone number meanwhile, and the request is withdrawn`() async throws {
        let terminal = ScriptedTerminal("/back", .line(StoreApp.phone), .wait)
        let (app, store, presenter) = try await started(terminal)

        let result = Task { await answer { Onside.requestLogin(completion: $0) } }
        await eventually { !app.server.codes.messages(for: StoreApp.phone).isEmpty }
        terminal.type(.line(try await app.server.code(for: StoreApp.phone)))

        #expect(await result.value.error == nil)
        await eventually { app.network.exchanges.contains { $0.request.path == "/oauth2/revoke" } }
        app.server.time.advance(by: .seconds(61))
        await store.answer(store.opened[0], with: .approve)
        #expect(store.returned.isEmpty && store.errors.count == 1)
        withExtendedLifetime(presenter) {}
        await app.server.stop()
    }

    @Test func `The user returns from the form to the same request`() async throws {
        let terminal = ScriptedTerminal("/back", "/app", .idle)
        let (app, store, presenter) = try await started(terminal)

        let result = Task { await answer { Onside.requestLogin(completion: $0) } }
        await eventually { store.opened.count == 2 }
        await store.answer(store.opened[1], with: .approve)

        #expect(await result.value.error == nil)
        #expect(Set(store.opened).count == 1)
        withExtendedLifetime(presenter) {}
        await app.server.stop()
    }

    @Test(arguments: ["/cancel", "^C"])
    func `The user cancels the waiting screen`(_ input: String) async throws {
        let terminal = ScriptedTerminal(input == "^C" ? .controlC : .line(input))
        let (app, store, presenter) = try await started(terminal)

        #expect(await answer { Onside.requestLogin(completion: $0) }.error == .loginDiscarded)

        await eventually { app.network.exchanges.contains { $0.request.path == "/oauth2/revoke" } }
        await store.answer(store.opened[0], with: .approve)
        #expect(store.returned.isEmpty && store.errors.count == 1)
        withExtendedLifetime(presenter) {}
        await app.server.stop()
    }

    @Test(arguments: [
        ("en", "Onside can't be opened. Log in here instead."),
        ("nb", "Onside kan ikke åpnes. Logg inn her i stedet."),
        ("sv", "Onside kan inte öppnas. Logga in här i stället."),
        ("fi", "Sovellusta Onside ei voi avata. Kirjaudu täällä."),
    ])
    func `The form says why it is shown instead of the store app`(_ language: String, _ text: String)
        async throws
    {
        let terminal = ScriptedTerminal("/cancel")
        let (app, store, presenter) = try await started(terminal, languages: [language])
        store.canStart = false

        #expect(await answer { Onside.requestLogin(completion: $0) }.error == .loginDiscarded)

        #expect(terminal.transcript.contains("! " + text))
        #expect(terminal.transcript.contains { $0.contains("/app") })
        withExtendedLifetime(presenter) {}
        await app.server.stop()
    }

    @Test func `After ten minutes without an answer, the form is shown`() async throws {
        let terminal = ScriptedTerminal(.idle, "/cancel")
        let (app, store, presenter) = try await started(terminal)

        let result = Task { await answer { Onside.requestLogin(completion: $0) } }
        await eventually { !store.opened.isEmpty }
        await app.server.time.sleepers(atLeast: 1)
        app.server.time.advance(by: .seconds(600))

        #expect(await result.value.error == .loginDiscarded)
        #expect(terminal.transcript.contains("! Onside has not answered in time. Log in here instead."))
        withExtendedLifetime(presenter) {}
        await app.server.stop()
    }
}
