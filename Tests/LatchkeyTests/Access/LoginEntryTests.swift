import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) @MainActor struct `Logins starting with a code` {
    private static let phone = "+436641234567"

    /// Returns an app whose logins start with a phone number.
    private static func app(logsExistingUsersIn: Bool = true) async throws -> TestApp<MemoryStore> {
        let app = try TestApp(
            // The login form only offers to send a code if the default schema supports codes.
            try await TestServer(
                schema: logsExistingUsersIn ? "customer" : "shopper",
                logsExistingUsersIn: logsExistingUsersIn
            )
        )
        app.client.loginStart = .code(signUpSchema: "shopper")
        return app
    }

    private static func enterPhone(_ login: LoginPresentation) async {
        _ = await login.form()
        await login.submit(FlowSubmission(method: "code", ["traits.phone": .string(phone)]))
    }

    private static func enterCode(_ login: LoginPresentation, from app: TestApp<MemoryStore>) async throws {
        let code = try await app.server.code(for: phone)
        await login.submit(FlowSubmission(method: "code", ["code": .string(code)]))
    }

    @Test func `A user can create an account by entering only an address and a code`() async throws {
        let app = try await Self.app()
        var names: [String] = []
        let presenter = app.presenter { login in
            names = (await login.form()?.nodes.compactMap(\.input) ?? []).filter { !$0.isButton }.map(\.name)
            #expect(login.isLoginOrSignUp)
            await Self.enterPhone(login)
            try? await Self.enterCode(login, from: app)
        }

        let session = try await app.client.requestLogin()

        #expect(names.filter { $0.hasPrefix("traits.") } == ["traits.phone"])
        #expect(session.identity.schema == "shopper" && session.identity.phone?.e164 == Self.phone)
        #expect(await presenter.logins[0].end() == .finished)
    }

    @Test(arguments: [true, false])
    func `A user who already has an account is logged in to it`(_ logsExistingUsersIn: Bool) async throws {
        let app = try await Self.app(logsExistingUsersIn: logsExistingUsersIn)
        let user = app.presenter { login in
            await Self.enterPhone(login)
            try? await Self.enterCode(login, from: app)
            guard login.isOpen, !logsExistingUsersIn, app.client.sessionState.session == nil,
                case .failed(let error) = login.screen
            else { return }
            // The server only sends codes to a number every 30 seconds.
            #expect(error.code == .tooManyRequests)
            app.server.time.advance(by: .seconds(31))
            await login.retry()
            #expect(login.isOpen && !login.isLoginOrSignUp)
            try? await Self.enterCode(login, from: app)
        }
        let first = try await app.client.requestLogin()
        app.client.signOut()
        app.server.time.advance(by: .seconds(61))

        let second = try await app.client.requestLogin()

        #expect(second.identity.id == first.identity.id)
        #expect(user.logins.count == 2)
    }

    @Test func `A wrong code is reported in the form, and the correct one is still accepted`() async throws {
        let app = try await Self.app()
        let presenter = app.presenter { login in
            await Self.enterPhone(login)
            guard let code = try? await app.server.code(for: Self.phone) else { return }
            let wrong = TestServer.wrongCode(insteadOf: code)
            await login.submit(FlowSubmission(method: "code", ["code": .string(wrong)]))
            #expect(await login.form()?.hasErrors == true)
            await login.submit(FlowSubmission(method: "code", ["code": .string(code)]))
        }

        _ = try await app.client.requestLogin()

        #expect(app.isLoggedIn && presenter.logins.count == 1)
    }

    @Test func `Going back shows the address form again`() async throws {
        let app = try await Self.app()
        let presenter = app.presenter { login in
            await Self.enterPhone(login)
            #expect(await login.form()?.state == .codeSent)
            await login.back()
            #expect(await login.form()?.state == .chooseMethod)
            #expect(login.isLoginOrSignUp)
            login.dismiss()
        }

        #expect(await failure { try await app.client.requestLogin() }?.code == .dismissed)
        #expect(presenter.logins.count == 1)
    }

    @Test func `If the form has expired, the user enters the address again`() async throws {
        let app = try await Self.app()
        let presenter = app.presenter { login in
            _ = await login.form()
            app.server.time.advance(by: .seconds(86_400))
            await Self.enterPhone(login)
            if await login.form()?.state != .codeSent { await Self.enterPhone(login) }
            #expect(await login.form()?.state == .codeSent)
            try? await Self.enterCode(login, from: app)
        }

        _ = try await app.client.requestLogin()

        #expect(app.isLoggedIn && presenter.logins.count == 1)
    }
}
