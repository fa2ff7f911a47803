import Foundation
import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@Suite struct `Login route selection` {
    @Test(arguments: [
        (false, false, false, OnsideLoginRoute.inSDK), (false, false, true, .inSDK),
        (false, true, false, .inSDK),
        (false, true, true, .inSDK), (true, false, false, .inSDK), (true, false, true, .inSDK),
        (true, true, false, .appToApp), (true, true, true, .inSDK),
    ])
    func `App-to-app login is only used if the store app is installed and a callback scheme is registered`(
        _ isInstalled: Bool,
        _ hasScheme: Bool,
        _ isForced: Bool,
        _ route: OnsideLoginRoute
    ) {
        #expect(
            OnsideLoginRoute(
                isStoreAppInstalled: isInstalled,
                hasCallbackScheme: hasScheme,
                isLocalForced: isForced
            ) == route
        )
    }
}

@MainActor @Suite(.exclusiveOnside) struct `Routing in OnsideKit` {
    @Test(arguments: [false, true], [false, true])
    func `A login succeeds on every route, including the fallback from app-to-app login`(
        _ isInstalled: Bool,
        _ isForced: Bool
    ) async throws {
        let app = try await OnsideApp.started()
        let handlers = Handlers(isInstalled: isInstalled)
        app.configuration.schemeHandlers = handlers
        try Onside.initialize(configuration: app.configuration)
        Onside.callbackScheme = "arcade"
        let delegate = Delegate(isForced: isForced)
        Onside.delegate = delegate

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == nil)
        #expect(delegate.calls == 1)
        #expect(await handlers.schemes == ["onside"])
        // The server doesn't know the client, so the request is refused before the store app is opened.
        #expect(await handlers.opened.isEmpty)
        #expect(app.logger.events.contains { $0.name == "login.handOff" } == (isInstalled && !isForced))
        await app.server.stop()
    }

    @Test func `The delegate is held weakly and does not force local login methods by default`() {
        var delegates = [Delegate(isForced: true)]
        Onside.delegate = delegates[0]
        #expect(Onside.delegate != nil)
        delegates.removeAll()
        #expect(Onside.delegate == nil)
        let standard = DefaultDelegate()
        #expect(!standard.onsideShouldForceLocalLoginMethods())
    }

    @Test(arguments: [
        (nil, "arcade://onside/login?code=1&state=2", false),
        ("arcade", "arcade://onside/login?code=1&state=2", true), ("arcade", "arcade://onside/login", true),
        ("Arcade", "arcade://onside/login", true), ("arcade", "ARCADE://onside/login?x", true),
        ("arcade", "arcade://ONSIDE/login", true), ("arcade", "arcade://onside/login#x", true),
        ("arcade", "arcade://onside/Login", false), ("arcade", "arcade://onside/login/", false),
        ("arcade", "arcade://onside/login2?code=1&state=2", false), ("arcade", "arcade://onside", false),
        ("arcade", "arcade://login?code=1&state=2", false), ("arcade", "arcade:login", false),
        ("arcade", "arcade:/onside/login", false), ("arcade", "arcade://onside:80/login", false),
        ("arcade", "arcade://user@onside/login", false), ("arcade", "arcade://onside//login", false),
        ("arcade", "arcade://onside/x/../login", false), ("arcade", "arcade://onside/%6cogin", false),
        ("arcade", "other://onside/login", false), ("arcade", "onside/login?code=1", false),
        ("arcade", "arcade2://onside/login", false), ("arcade", "https://onside/login", false),
        ("", "://onside/login", false), ("a b", "a%20b://onside/login", false),
    ])
    func `A URL is handled if it leads to the callback address`(
        _ scheme: String?,
        _ text: String,
        _ isOurs: Bool
    )
        throws
    {
        Onside.callbackScheme = scheme
        guard let url = URL(string: text) else { return #expect(!isOurs) }

        #expect(Onside.handle(url: url) == isOurs)
    }

    @Test func `A forged callback has no effect`() async throws {
        let app = try await OnsideApp.started()
        Onside.callbackScheme = "arcade"
        let recorder = Recorder()

        #expect(Onside.handle(url: try #require(URL(string: "arcade://onside/login?code=1&state=2"))))
        await mainActorIsIdle()

        #expect(Onside.defaultPaymentQueue().storefront == nil && recorder.storefronts == [])
        await app.server.stop()
    }
}

@MainActor private final class Delegate: OnsideDelegate {
    private(set) var calls = 0
    private let isForced: Bool

    init(isForced: Bool) {
        self.isForced = isForced
    }

    func onsideShouldForceLocalLoginMethods() -> Bool {
        calls += 1
        return isForced
    }
}

@MainActor private final class DefaultDelegate: OnsideDelegate {}

private actor Handlers: URLSchemeHandlers {
    private let isInstalled: Bool
    private(set) var schemes: [String] = []
    private(set) var opened: [String] = []

    init(isInstalled: Bool) {
        self.isInstalled = isInstalled
    }

    func isHandled(_ scheme: String) async -> Bool {
        schemes.append(scheme)
        return isInstalled
    }

    func open(_ url: String) async throws(LatchkeyError) {
        opened.append(url)
        throw LatchkeyError(.noPresenter, message: "The store app can't be started.")
    }
}
