import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) @MainActor struct `Presented logins in a browser` {
    private static let redirect = "com.example.shop:/callback"

    /// An app whose presented login is open, and whose user has a browser.
    @MainActor private final class Scene {
        let server: TestServer
        let client: LatchkeyClient
        let user: BrowserUser
        let presenter = TestPresenter()
        private(set) var actions: [Task<Result<String, LatchkeyError>, Never>] = []

        init(actions count: Int = 1) async throws {
            server = try await TestServer.withBrowserLogin(to: redirect)
            client = try server.browserClient(redirectURIs: [redirect])
            user = BrowserUser(
                server,
                redirectURI: redirect,
                identifier: TestServer.person,
                password: TestAccount.passcode,
                returns: false
            )
            client.presenter = presenter
            let client = client
            actions = (0..<count).map { _ in
                Task {
                    do {
                        return .success(try await client.withSession { $0.session.identity.id })
                    } catch {
                        return .failure(error as? LatchkeyError ?? .init(.refused, message: "\(error)"))
                    }
                }
            }
            while client.engine.access.waitingCallers != count { await Task.yield() }
        }

        /// Opens the browser, and returns the presentation and the redirect that ends the visit.
        func visit() async -> (login: LoginPresentation, redirect: String) {
            let login = await presenter.login()
            _ = await login.form()
            login.browser = user
            await login.use(.browser)
            while user.opened.isEmpty { await Task.yield() }
            return (login, await user.visit(user.opened[0]))
        }

        func submit(_ password: String, in login: LoginPresentation) async {
            await login.submit(
                FlowSubmission(
                    method: "password",
                    ["identifier": .string(TestServer.person), "password": .string(password)]
                )
            )
        }
    }

    @Test func `100 actions wait for one login in the browser and then all of them run`() async throws {
        let scene = try await Scene(actions: 100)
        let (login, redirect) = await scene.visit()

        #expect(scene.client.handle(redirect))

        let account = try await scene.actions[0].value.get()
        #expect(await scene.actions.results == [account: 100])
        #expect(await login.end() == .finished && scene.presenter.logins.count == 1)
        #expect(scene.user.opened.count == 1)
    }

    @Test func `The password wins while the browser is open, and the browser's answer is void`() async throws
    {
        let scene = try await Scene()
        let (login, redirect) = await scene.visit()

        await scene.submit(TestAccount.passcode, in: login)
        #expect(await login.end() == .finished)
        let session = try #require(scene.client.sessionState.session)
        #expect(scene.client.handle(redirect))
        await scene.client.engine.browserSignIn?.settle()

        #expect(scene.client.sessionState.session?.id == session.id)
    }

    @Test func `A browser that opens the app many times with the same answer finishes the login once`()
        async throws
    {
        let scene = try await Scene()
        let (login, redirect) = await scene.visit()

        for _ in 1...100 { #expect(scene.client.handle(redirect)) }

        #expect(await login.end() == .finished)
        await scene.client.engine.browserSignIn?.settle()
        #expect(scene.client.sessionState.session != nil)
        #expect(try await scene.server.liveSessions() == 1)
    }

    @Test func `The browser wins after a wrong password`() async throws {
        let scene = try await Scene()
        let (login, redirect) = await scene.visit()

        await scene.submit("a-wrong-Password", in: login)
        #expect(await login.form()?.hasErrors == true)
        scene.client.handle(redirect)

        #expect(await login.end() == .finished)
        #expect(scene.client.sessionState.session != nil)
    }

    @Test func `Going back from the browser shows the form, and the late answer is void`() async throws {
        let scene = try await Scene()
        let (login, redirect) = await scene.visit()
        if case .browser = login.screen {} else { Issue.record("The screen is \(login.screen).") }

        await login.back()
        #expect(await login.form() != nil)
        scene.client.handle(redirect)
        await scene.client.engine.browserSignIn?.settle()

        #expect(login.isOpen && scene.client.sessionState.session == nil)
        await scene.submit(TestAccount.passcode, in: login)
        #expect(await login.end() == .finished)
    }

    @Test func `Opening the page again starts a new visit, whose answer counts`() async throws {
        let scene = try await Scene()
        let (login, former) = await scene.visit()

        await login.use(.browser)
        while scene.user.opened.count < 2 { await Task.yield() }
        let redirect = await scene.user.visit(scene.user.opened[1])
        scene.client.handle(former)
        await scene.client.engine.browserSignIn?.settle()
        #expect(login.isOpen && scene.client.sessionState.session == nil)
        scene.client.handle(redirect)

        #expect(await login.end() == .finished)
    }

    @Test func `A user who refuses in the browser comes back to the form`() async throws {
        let scene = try await Scene()
        let (login, redirect) = await scene.visit()
        let start = redirect.prefix { $0 != "?" }
        let rest = redirect.dropFirst(start.count + 1).split(separator: "&").filter { !$0.hasPrefix("code=") }

        scene.client.handle(start + "?error=access_denied&" + rest.joined(separator: "&"))

        #expect(await login.form() != nil && login.isOpen)
    }

    @Test(arguments: [true, false])
    func `Dismissal and sign-out end the visit, and the late answer is void`(dismisses: Bool) async throws {
        let scene = try await Scene()
        let (login, redirect) = await scene.visit()

        if dismisses { login.dismiss() } else { scene.client.signOut() }
        #expect(await scene.actions.results == [dismisses ? "dismissed" : "signedOut": 1])
        #expect(await login.end() == (dismisses ? .dismissed : .signedOut))
        scene.client.handle(redirect)
        await scene.client.engine.browserSignIn?.settle()

        #expect(scene.client.sessionState == .signedOut)
    }

    @Test func `Without a browser or a registration, the way doesn't exist`() async throws {
        let app = try await TestApp.loggedOut()
        let presenter = app.presenter()
        let actions = app.actions(1)
        let login = await presenter.login()
        let flow = await login.form()
        login.browser = BrowserUser(
            app.server,
            redirectURI: Self.redirect,
            identifier: "",
            password: ""
        )

        await login.use(.browser)

        #expect(!login.canUseBrowser)
        if case .form(let shown) = login.screen { #expect(shown.id == flow?.id) } else { Issue.record() }
        login.dismiss()
        _ = await actions.results
    }
}
