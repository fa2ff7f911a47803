import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire

@testable import Latchkey
@testable import LatchkeyCore

/// An app whose user has logged in on the server's pages, before the redirect reaches the app.
final class BrowserScene: Sendable {
    static let redirectURI = "com.example.shop:/callback"

    let server: TestServer
    let store: MemoryStore
    let network: TestTransport
    let keys: CountedKeys
    let client: LatchkeyClient
    /// The login that waits for the redirect.
    let login: Task<UserSession, any Error>
    /// The address of the app to which the browser returns.
    let address: String
    /// The redirect of the user's browser.
    let redirect: String

    /// Opens the browser, and logs the user in there.
    ///
    /// - Parameters:
    ///   - scene: A scene whose server and device are used, or `nil` for new ones.
    ///   - existing: An app that is used, or `nil` for another process of it.
    ///   - address: The redirect URI of the app, if there is no other scene.
    ///   - options: What the app asks of the login.
    ///   - persistence: Where the session is stored.
    /// - Throws: An error if the server or the app can't be started.
    init(
        beside scene: BrowserScene? = nil,
        in existing: LatchkeyClient? = nil,
        returningTo address: String = BrowserScene.redirectURI,
        options: AuthorizationOptions = AuthorizationOptions(),
        persistence: Persistence = .device
    ) async throws {
        if let scene {
            (server, store, network, keys) = (scene.server, scene.store, scene.network, scene.keys)
            self.address = scene.address
        } else {
            self.address = address
            server = try await TestServer.withBrowserLogin(to: address)
            (store, network) = (MemoryStore(), server.transport())
            keys = CountedKeys(try Platform.deviceKeys())
        }
        let client =
            if let existing { existing } else {
                try Self.app(of: server, at: self.address, store: store, keys: keys, over: network)
            }
        self.client = client
        let user = BrowserUser(
            server,
            redirectURI: self.address,
            identifier: TestServer.person,
            password: TestAccount.passcode,
            returns: false
        )
        login = Task { try await client.signIn(in: user, options: options, persistence: persistence) }
        while user.opened.isEmpty { await Task.yield() }
        redirect = await user.visit(user.opened[0])
    }

    /// Returns another process of the app on the same device, whose clock may have gone on.
    func restarted(
        store: MemoryStore? = nil,
        over network: TestTransport? = nil,
        skew: Duration = .zero
    ) throws -> LatchkeyClient {
        try Self.app(
            of: server,
            at: address,
            store: store ?? self.store,
            keys: keys,
            over: network ?? self.network,
            skew: skew
        )
    }

    private static func app(
        of server: TestServer,
        at address: String,
        store: MemoryStore,
        keys: any DeviceKeyProvider,
        over network: any Transport,
        skew: Duration = .zero
    ) throws -> LatchkeyClient {
        try LatchkeyClient(server: TestServer.url, app: "com.example.shop") {
            $0.store = store
            $0.client = ClientRegistration(id: TestServer.clientID, redirectURIs: [address])
            $0.deviceKeys = keys
            $0.transport = network
            $0.languages = []
            $0.time = DeviceClock(server.time, skew: skew)
        }
    }

    /// A parameter of the redirect.
    func parameter(_ name: String) -> String {
        QueryItems(redirect.split(separator: "?").last.map { String($0) })[name] ?? ""
    }

    /// Waits until the app has noted the provider's answer, and its next request is delayed.
    func isDelayed() async {
        while !hasAnswer { await Task.yield() }
        await server.time.sleepers(atLeast: 1)
    }

    private var hasAnswer: Bool {
        (try? pendingLogins().contains { $0.progress != .waiting }) ?? false
    }

    /// The logins in the app's store.
    func pendingLogins() throws -> [PendingLogin] {
        guard let records = store.sideStore(for: .login) else { return [] }
        let bytes = try SideRecordContainer.read(records).container.entry(.pendingAuthorizations, of: nil)?
            .bytes
        return PendingLogins(decoding: bytes).logins
    }

    /// Waits until a client has handled all redirects, and has revoked what they have left at the server.
    func settle(_ client: LatchkeyClient? = nil) async {
        let client = client ?? self.client
        await client.engine.browserSignIn?.settle()
        _ = await client.engine.revocations?.settle()
    }
}
