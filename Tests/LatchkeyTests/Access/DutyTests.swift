import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) @MainActor struct `Steps required after a login` {
    private static let email = "reader@example.org"

    /// Returns an app whose users sign up with an e-mail address and verify it afterwards.
    private static func app() async throws -> TestApp<MemoryStore> {
        try TestApp(try await TestServer(schema: "reader"))
    }

    /// Signs up for an account in a login dialog, as a user would.
    private static func signUp(in login: LoginPresentation) async {
        _ = await login.form()
        await login.use(.signUp)
        await login.submit(
            FlowSubmission(
                method: "password",
                ["traits.email": .string(email), "password": .string(TestAccount.password)]
            )
        )
    }

    @Test func `Actions wait until a new address is verified`() async throws {
        let app = try await Self.app()
        let presenter = app.presenter { login in
            await Self.signUp(in: login)
            #expect(await login.duty() == .verifyAddress(Self.email))
            #expect(app.isLoggedIn)
            #expect(app.client.engine.access.waitingCallers == 10)
            guard let code = try? await app.server.code(for: Self.email) else { return }
            await login.submit(FlowSubmission(method: "code", ["code": .string(code)]))
        }

        let actions = app.actions(10)

        #expect(await actions.results.values.map { $0 } == [10])
        #expect(presenter.logins.count == 1)
        #expect(await presenter.logins[0].end() == .finished)
    }

    @Test func `A dismissed step is presented again when the next action requires it`() async throws {
        let app = try await Self.app()
        let hasDismissed = Locked(false)
        let presenter = app.presenter { login in
            if !app.isLoggedIn { await Self.signUp(in: login) }
            #expect(await login.duty() == .verifyAddress(Self.email))
            guard !hasDismissed.withLock({ $0 }) else {
                guard let code = try? await app.server.code(for: Self.email) else { return }
                return await login.submit(FlowSubmission(method: "code", ["code": .string(code)]))
            }
            hasDismissed.withLock { $0 = true }
            login.dismiss()
        }

        #expect(await app.actions(3).results == ["dutyRequired": 3])
        #expect(app.isLoggedIn)
        #expect(await failure { try await app.client.withSession(.never) { _ in } }?.code == .dutyRequired)
        #expect(await app.actions(3).results.values.map { $0 } == [3])
        #expect(presenter.logins.count == 2)
    }

    @Test func `Signing out dismisses a required step`() async throws {
        let app = try await Self.app()
        let presenter = app.presenter { login in
            await Self.signUp(in: login)
            _ = await login.duty()
            app.client.signOut()
            await login.end()
        }

        #expect(await app.actions(3).results == ["signedOut": 3])
        #expect(await presenter.logins[0].end() == .signedOut)
        #expect(app.isClean)
    }

    @Test func `A login starts again if the session ends before all steps are completed`() async throws {
        let app = try await Self.app()
        let presenter = app.presenter { login in
            await Self.signUp(in: login)
            _ = await login.duty()
            try? await app.server.endAllSessions()
            _ = try? await app.client.checkSession()
            #expect(await login.form()?.kind == .login)
            login.dismiss()
        }

        #expect(await app.actions(2).results == ["dismissed": 2])
        #expect(presenter.logins.count == 1)
    }
}
