import Foundation
import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `Calls before the initialization` {
    @Test func `Before initialization, every call fails and calls its completion handler once`() async {
        let queue = Onside.defaultPaymentQueue()

        #expect(queue.storefront == nil && queue.transactions == [])
        #expect(await answer { Onside.requestLogin(completion: $0) }.error == .loginDiscarded)
        let payment = OnsidePayment(productIdentifier: TestProduct.coins)
        #expect(await answer { queue.add(payment, completion: $0) }.error == .notInitialized)
        #expect(await answer { queue.restoreCompletedTransactions(completion: $0) }.error == .notInitialized)
        #expect(await answer { Onside.presentPaymentMethodsManager(completion: $0) }.error == .notInitialized)
        let history = await answer { Onside.makeSignedInAppsHistoryRequest().start(completion: $0) }
        #expect(throws: OnsideHistoryError.notInitialized) { try history.get() }
        let products = await answer { OnsideProductsRequest().start(completion: $0) }
        #expect(throws: OnsidePaymentQueueError.notInitialized) { try products.get() }
        Onside.requestLogin()
        Onside.logout()
        #expect(OnsidePaymentQueueError.notInitialized.description.contains("initialize"))
    }

    @Test func `An observer added before initialization is notified after initialization`() async throws {
        let recorder = Recorder()
        let app = try await OnsideApp.started()

        await app.logIn()

        #expect(await recorder.storefronts(1) == ["AT"])
        await app.server.stop()
    }

    @Test(arguments: [
        ("http://id.example.com", "com.example.arcade"), ("not a URL", "com.example.arcade"),
        ("https://id.example.com", "a#b"), ("https://id.example.com", ""),
    ])
    func `Invalid configurations throw an error with a reason`(_ server: String, _ id: String) async throws {
        let user = OnsideUser(try await TestServer.withStore())
        let configuration = OnsideConfiguration(server: server, clientID: id, presenter: user)

        #expect { try Onside.initialize(configuration: configuration) } throws: { error in
            (error as? OnsideConfigurationError)?.description.isEmpty == false
        }
        #expect(Onside.client == nil)
    }

    @Test func `Initializing again replaces the account and keeps observers registered`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        let recorder = Recorder()

        let other = try OnsideApp(app.server)

        #expect(await recorder.storefronts(1) == [nil])
        await other.logIn()
        #expect(await recorder.storefronts(2) == [nil, "AT"])
        await app.server.stop()
    }

    @Test func `A logout before the initialization removes the stored session`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        Onside.reset()
        let recorder = Recorder()

        Onside.logout()
        let restarted = try app.restarted()

        #expect(Onside.client?.sessionState == .signedOut)
        #expect(Onside.defaultPaymentQueue().storefront == nil)
        await mainActorIsIdle()
        #expect(recorder.storefronts == [])

        await restarted.logIn()
        let again = try restarted.restarted()
        #expect(Onside.defaultPaymentQueue().storefront?.countryCode == "AT")
        await again.server.stop()
    }

    @Test(arguments: [false, true])
    func `Initializing again on the same session presents logins with the new presenter`(
        _ replacesPresenter: Bool
    ) async throws {
        let former = DismissingPresenter()
        let current = replacesPresenter ? DismissingPresenter() : former
        for presenter in [former, current] {
            // Only the platform's parts are used, so both initializations share one session.
            var configuration = OnsideConfiguration(
                server: "http://127.0.0.1:1",
                clientID: "com.example.again",
                presenter: presenter
            )
            configuration.client.storage = .memory
            configuration.client.languages = []
            try Onside.initialize(configuration: configuration)
        }

        #expect(await answer { Onside.requestLogin(completion: $0) }.error == .loginDiscarded)

        #expect(current.presentations == 1)
        #expect(!replacesPresenter || former.presentations == 0)
    }

    @Test func `Initializing again decides anew whether the session's events are followed`() async throws {
        var configuration = OnsideConfiguration(
            server: "http://127.0.0.1:1",
            clientID: "com.example.followed",
            presenter: DismissingPresenter()
        )
        configuration.client.storage = .memory
        configuration.client.languages = []
        for isFollowing in [true, false, true] {
            configuration.client.followsSessionEvents = isFollowing
            try Onside.initialize(configuration: configuration)
            await eventually { Onside.client?.engine.events.isWanted == isFollowing }

            #expect(Onside.client?.engine.events.isWanted == isFollowing)
        }
    }
}

/// A presenter that dismisses each login.
@MainActor private final class DismissingPresenter: OnsidePresenter {
    private(set) var presentations = 0

    func present(_ login: LoginPresentation) async {
        presentations += 1
        login.dismiss()
    }

    func presentPaymentMethods(_ purchases: Purchases) async {}
}
