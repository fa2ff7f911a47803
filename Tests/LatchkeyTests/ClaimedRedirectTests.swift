import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import Latchkey
@testable import LatchkeyCore

/// Universal links and app links: the operating system opens the app with the redirect (RFC 8252, section 7.2).
@Suite(.onEachDatabase) struct `Logins with a claimed https redirect URI` {
    private static let address = "https://shop.example.com/login/callback"

    /// Checks that a client has the only session of the server, and can use it.
    private func expectSession(of client: LatchkeyClient, in scene: BrowserScene) async throws {
        #expect(client.sessionState.session != nil)
        let response = try await client.send(HTTP.Request(.get, "/a/sessions/whoami"), to: TestServer.url)
        #expect(response.status == 200)
        #expect(try await scene.server.liveSessions() == 1)
        #expect(scene.keys.count == 1)
    }

    @Test func `The URL with which the system opens the app completes the login`() async throws {
        let scene = try await BrowserScene(returningTo: Self.address)
        #expect(scene.redirect.hasPrefix(Self.address + "?code="))

        #expect(scene.client.handle(scene.redirect))

        let session = try await scene.login.value
        #expect(scene.client.sessionState.session?.id == session.id)
        try await expectSession(of: scene.client, in: scene)
        // The system may deliver a link again.
        #expect(scene.client.handle(scene.redirect))
        await scene.settle()
        #expect(scene.client.sessionState.session?.id == session.id)
    }

    @Test func `An app that the redirect starts again completes the login`() async throws {
        let scene = try await BrowserScene(returningTo: Self.address)
        let restarted = try scene.restarted()

        #expect(restarted.handle(scene.redirect))
        await scene.settle(restarted)

        try await expectSession(of: restarted, in: scene)
        scene.login.cancel()
        _ = try? await scene.login.value
    }

    @Test(arguments: ["HTTPS://shop.example.com", "https://SHOP.Example.com"])
    func `The case of scheme and host may differ`(origin: String) async throws {
        let scene = try await BrowserScene(returningTo: Self.address)
        let url = scene.redirect.replacing("https://shop.example.com", with: origin)
        #expect(url != scene.redirect)

        #expect(scene.client.handle(url))

        _ = try await scene.login.value
        try await expectSession(of: scene.client, in: scene)
    }

    /// A URL made from the redirect of the user's browser.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether it leads to the app.
        let isOwn: Bool
        let url: @Sendable (String) -> String

        /// A URL with another start, which doesn't lead to the app.
        init(_ start: String) {
            (testDescription, isOwn) = (start, false)
            url = { $0.replacing(`Logins with a claimed https redirect URI`.address, with: start) }
        }

        /// A URL that leads to the app.
        init(_ name: String, changing url: @escaping @Sendable (String) -> String) {
            (testDescription, isOwn, self.url) = (name, true, url)
        }
    }

    private static let forgeries = [
        Forgery("http://shop.example.com/login/callback"),
        Forgery("com.example.shop://shop.example.com/login/callback"),
        Forgery("https:/login/callback"), Forgery("https:///login/callback"),
        Forgery("//shop.example.com/login/callback"),
        Forgery("https://evil.example/login/callback"), Forgery("https://example.com/login/callback"),
        Forgery("https://shop.example.com.evil.example/login/callback"),
        Forgery("https://evil.shop.example.com/login/callback"),
        Forgery("https://evilshop.example.com/login/callback"),
        Forgery("https://shop.example.com./login/callback"),
        Forgery("https://shop.ex\u{430}mple.com/login/callback"),
        Forgery("https://shop.example.com@evil.example/login/callback"),
        Forgery("https://user@shop.example.com/login/callback"),
        Forgery("https://shop.example.com:8443/login/callback"),
        Forgery("https://shop.example.com:80/login/callback"),
        Forgery("https://shop.example.com/"), Forgery("https://shop.example.com/login"),
        Forgery("https://shop.example.com/login/callback/"),
        Forgery("https://shop.example.com/login/callback/x"),
        Forgery("https://shop.example.com/login/Callback"),
        Forgery("https://shop.example.com//login/callback"),
        Forgery("https://shop.example.com/login/%63allback"),
        Forgery("https://shop.example.com/x/../login/callback"),
        Forgery("https://shop.example.com\\login\\callback"),
        Forgery("another state") { $0.replacing("state=", with: "state=x") },
        Forgery("another issuer") { $0.replacing("iss=", with: "iss=https%3A%2F%2Fevil.example%2F") },
        Forgery("no issuer") { $0.replacing("iss=", with: "other=") },
        Forgery("an error beside the code") { $0 + "&error=access_denied" },
        Forgery("a fragment in place of the query") { $0.replacing("?", with: "#") },
    ]

    @Test(arguments: forgeries)
    func `Forged links have no effect on a login and on an app that was started again`(
        forgery: Forgery
    ) async throws {
        let scene = try await BrowserScene(returningTo: Self.address)
        let forged = forgery.url(scene.redirect)
        #expect(forged != scene.redirect)
        let restarted = try scene.restarted()

        for client in [scene.client, restarted] {
            #expect(client.handle(forged) == forgery.isOwn)
            await scene.settle(client)
            #expect(client.sessionState == .signedOut)
        }
        #expect(try await scene.server.liveSessions() == 0)

        #expect(scene.client.handle(scene.redirect))
        _ = try await scene.login.value
        try await expectSession(of: scene.client, in: scene)
    }

    @Test func `An app without the registered URI leaves the link to others`() async throws {
        let scene = try await BrowserScene(returningTo: Self.address)
        let other = try scene.server.browserClient(redirectURIs: [], store: scene.store)

        #expect(!other.handle(scene.redirect))

        await scene.settle(other)
        #expect(other.sessionState == .signedOut)
        scene.login.cancel()
    }
}
