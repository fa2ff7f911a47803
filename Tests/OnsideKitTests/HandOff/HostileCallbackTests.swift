import Foundation
import LatchkeyTestKit
import LatchkeyWire
import OnsideKit
import TestDatabases
import TestStore
import Testing

@testable import Latchkey
@testable import LatchkeyCore

/// Any program can open a URL of the game, so each test sends what other programs may send.
@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Hostile callbacks to a game` {
    /// A URL made from the answer of the store app.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether it leads to the game's callback address.
        let isOwn: Bool
        let url: @Sendable (String) -> String

        init(_ name: String, isOwn: Bool = true, _ url: @escaping @Sendable (String) -> String) {
            (testDescription, self.isOwn, self.url) = (name, isOwn, url)
        }
    }

    nonisolated private static let forgeries: [Forgery] = [
        Forgery("no state") { $0.removing("state") },
        Forgery("an empty state") { $0.setting("state", to: "") },
        Forgery("an unknown state") { $0.setting("state", to: "x") },
        Forgery("a state in capital letters") { $0.setting("state", to: $0.parameter("state").uppercased()) },
        Forgery("another issuer") { $0.setting("iss", to: "https%3A%2F%2Fevil.example") },
        Forgery("the issuer with a slash") { $0.setting("iss", to: "https%3A%2F%2Fid.test%2F") },
        Forgery("no issuer") { $0.removing("iss") },
        Forgery("an error of another issuer") {
            $0.removing("code").setting("iss", to: "https%3A%2F%2Fevil.example") + "&error=access_denied"
        },
        Forgery("an error without an issuer") {
            $0.removing("code").removing("iss") + "&error=access_denied"
        },
        Forgery("an error with an unknown state") {
            $0.removing("code").setting("state", to: "x") + "&error=access_denied"
        },
        Forgery("an error beside the code") { $0 + "&error=access_denied" },
        Forgery("no code") { $0.removing("code") },
        Forgery("an empty code") { $0.setting("code", to: "") },
        Forgery("the code twice") { $0 + "&code=" + $0.parameter("code") },
        Forgery("an encoded second code") { $0 + "&%63ode=2" },
        Forgery("the state twice") { $0 + "&state=" + $0.parameter("state") },
        Forgery("two issuers") { $0 + "&iss=https%3A%2F%2Fid.test" },
        Forgery("no query") { _ in HandOffScene.address },
        Forgery("a fragment in place of the query") { $0.replacing("?", with: "#") },
        Forgery("bytes that aren't UTF-8") { $0 + "&x=%FF" },
        Forgery("1 MiB", isOwn: false) { $0 + "&x=" + String(repeating: "x", count: 1 << 20) },
        Forgery("another host", isOwn: false) { $0.replacing("//onside/", with: "//evil/") },
        Forgery("a port", isOwn: false) { $0.replacing("//onside/", with: "//onside:443/") },
        Forgery("a user", isOwn: false) { $0.replacing("//onside/", with: "//evil@onside/") },
        Forgery("a longer path", isOwn: false) { $0.replacing("/login", with: "/login/x") },
        Forgery("a path in capital letters", isOwn: false) { $0.replacing("/login", with: "/LOGIN") },
        Forgery("a path with dots", isOwn: false) { $0.replacing("/login", with: "/x/../login") },
        Forgery("another scheme", isOwn: false) { $0.replacing("com.example", with: "com.evil") },
        Forgery("a longer scheme", isOwn: false) { "x" + $0 },
        Forgery("the scheme of the store app", isOwn: false) {
            $0.replacing("com.example.arcade", with: "onside")
        },
        Forgery("a deep link of the game", isOwn: false) { _ in "com.example.arcade://level/7?code=1&state=2"
        },
        Forgery("a deep link without a host", isOwn: false) { _ in "com.example.arcade:level?code=1" },
    ]

    @Test(arguments: forgeries)
    func `Forged callbacks have no effect, and the genuine one then logs in`(forgery: Forgery) async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer()
        let forged = forgery.url(genuine)
        #expect(forged != genuine)
        let process = try scene.anotherProcess()

        #expect(scene.open(forged) == forgery.isOwn)
        #expect(try await scene.open(forged, in: process) == forgery.isOwn)
        await scene.settle()
        #expect(try scene.client.sessionState.session == nil && process.sessionState.session == nil)
        #expect(try scene.results.isEmpty && scene.pendingLogins == 1)
        #expect(scene.requests(to: Route.token) == 0)
        if case .otherApp = try scene.login.screen {} else { Issue.record("\(try scene.login.screen)") }

        #expect(scene.open(genuine))
        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        // The code was redeemed, and the grant exchanged.
        #expect(scene.requests(to: Route.token) == 2)
        await scene.server.stop()
    }

    @Test(arguments: ["COM.EXAMPLE.ARCADE", "com.Example.Arcade"])
    func `The case of the scheme may differ`(scheme: String) async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer()

        #expect(scene.open(genuine.replacing("com.example.arcade", with: scheme)))

        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    /// An event that ends a login before its answer arrives.
    enum Ending: CaseIterable {
        case dismissal, expiry, logout, phoneLogin, loginElsewhere, answer
    }

    @Test(arguments: Ending.allCases)
    func `A callback has no effect after its login has ended`(by ending: Ending) async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer()
        var error: OnsideLoginError? = .loginDiscarded
        switch ending {
        case .dismissal: try scene.login.dismiss()
        case .expiry:
            scene.server.time.advance(by: .seconds(600))
            await scene.isFormShown()
            #expect(try scene.login.handOffError?.code == .flowExpired)
            #expect(scene.results.isEmpty)
            try scene.login.dismiss()
        case .logout: Onside.logout()
        case .phoneLogin:
            try await scene.logInByPhone()
            error = nil
        case .loginElsewhere:
            let process = try scene.anotherProcess()
            scene.server.time.advance(by: .seconds(61))
            let sent = try await process.codeSignIn.sendCode(
                to: StoreApp.phone,
                orSignUpWith: [:],
                schema: "shopper"
            )
            try await sent.verify(scene.server.code(for: StoreApp.phone))
            error = nil
        case .answer:
            scene.open(genuine)
            error = nil
        }
        #expect(await scene.errors() == [error])
        await scene.settle()
        let session = try scene.client.sessionState.session?.id
        #expect((session != nil) == (error == nil))
        try await scene.expectNoTrace()
        let requests = scene.requests(to: Route.token)

        let restarted = try scene.anotherProcess()
        for _ in 1...3 {
            #expect(scene.open(genuine))
            #expect(try await scene.open(genuine, in: restarted))
            await scene.settle()
        }
        #expect(try scene.client.sessionState.session?.id == session)
        #expect(restarted.sessionState.session?.id == session)
        #expect(scene.requests(to: Route.token) == requests && scene.results.count == 1)

        Onside.logout()
        #expect(scene.open(genuine))
        await scene.settle()
        #expect(try scene.client.sessionState.session == nil)
        #expect(scene.requests(to: Route.token) == requests)
        await scene.server.stop()
    }

    @Test
    func `The code of another request with the right state ends the request, and both ways are offered`()
        async throws
    {
        let scene = try await HandOffScene.opened()
        let other = try await RawRequest(scene.server)
        await scene.store.answer(other.address, with: .approve)
        let code = try #require(scene.store.returned.last).parameter("code")
        let genuine = try await scene.answer()

        #expect(scene.open(genuine.setting("code", to: code)))
        await scene.isFormShown()

        let login = try scene.login
        #expect(login.handOffError?.code == .refused && login.otherAppName == "Onside")
        #expect(scene.open(genuine))
        try await scene.expectNoLogin()
        #expect(scene.results.isEmpty && scene.store.opened.count == 1)
        await login.use(.otherApp)
        await scene.isOpened(2)
        #expect(login.handOffError == nil && scene.store.opened[1] != scene.store.opened[0])
        scene.open(try await scene.answer())
        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `The answer to a request that another program pushed is unknown to the game`() async throws {
        let scene = try await HandOffScene.opened()
        let other = try await RawRequest(scene.server)
        await scene.store.answer(other.address, with: .approve)
        let foreign = try #require(scene.store.returned.last)
        #expect(foreign.parameter("state") == other.state)

        #expect(scene.open(foreign))
        await scene.settle()

        #expect(scene.results.isEmpty && scene.requests(to: Route.token) == 0)
        scene.open(try await scene.answer())
        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    // MARK: Other processes

    @Test(arguments: [true, false])
    func `Before initialize, the latest callback is held`(isGenuineLast: Bool) async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer()
        Onside.reset()
        Onside.callbackScheme = "com.example.arcade"
        let forged = genuine.setting("state", to: "x")

        for url in isGenuineLast ? [forged, genuine] : [genuine, forged] { #expect(scene.open(url)) }
        // A deep link of the game takes no place.
        #expect(!scene.open("com.example.arcade://level/7"))
        try Onside.initialize(configuration: scene.app.configuration)
        await scene.settle()

        #expect(try (scene.client.sessionState.session != nil) == isGenuineLast)
        #expect(try scene.pendingLogins == (isGenuineLast ? 0 : 1))
        if !isGenuineLast {
            scene.open(genuine)
            await scene.settle()
        }
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `A callback that opens another process logs the waiting one in`() async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer()
        let process = try scene.anotherProcess()

        let session = try await process.completeSignIn(
            with: genuine,
            at: try #require(RedirectAddress(HandOffScene.address))
        )

        #expect(session != nil)
        #expect(await scene.errors() == [nil])
        #expect(try scene.client.sessionState.session?.id == session?.id)
        #expect(Onside.defaultPaymentQueue().storefront?.countryCode == "AT")
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `1,000 callbacks at once from many threads and processes log in once`() async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer()
        let process = try scene.anotherProcess()
        let address = try #require(RedirectAddress(HandOffScene.address))

        await withTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask {
                    switch number % 4 {
                    case 0: #expect(scene.open(genuine))
                    case 1: #expect(process.handle(genuine, at: address))
                    case 2: #expect(scene.open(genuine.setting("state", to: "\(number)")))
                    default: #expect(scene.open(genuine.setting("iss", to: "https%3A%2F%2Fevil.example")))
                    }
                }
            }
        }

        #expect(await scene.errors() == [nil])
        await scene.settle(process)
        try await scene.expectOneLogin()
        #expect(scene.requests(to: Route.token) == 2 && scene.presentationCount == 1)
        await scene.server.stop()
    }
}
