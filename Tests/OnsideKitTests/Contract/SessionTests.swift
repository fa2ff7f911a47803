import Foundation
import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `The storefront` {
    private var queue: OnsidePaymentQueue { Onside.defaultPaymentQueue() }

    @Test func `The storefront is only available during a session, and each change is reported once`()
        async throws
    {
        let app = try await OnsideApp.started { OnsideUser($0, phone: StoreApp.norwegianPhone) }
        let recorder = Recorder()
        #expect(queue.storefront == nil)

        await app.logIn()
        #expect(queue.storefront == OnsideStorefront(id: "NO", countryCode: "NO"))
        Onside.logout()
        #expect(queue.storefront == nil)

        #expect(await recorder.storefronts(2) == ["NO", nil])
        await mainActorIsIdle()
        #expect(recorder.storefronts.count == 2)
        await app.server.stop()
    }

    @Test func `Logging out does not send a request to the server`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        let client = try #require(Onside.client)
        app.network.forgetExchanges()

        let report = await client.signOutAndRevoke()

        #expect(!report.isRevoked)
        #expect(!app.network.exchanges.contains { $0.request.method == .delete })
        #expect(queue.storefront == nil)
        await app.server.stop()
    }

    @Test func `Changing the account's region changes the storefront once`() async throws {
        // Only regions with the same calling code as the phone number can be chosen.
        let app = try await OnsideApp.started(user: { OnsideUser($0, phone: "+14165550100") })
        await app.logIn()
        let recorder = Recorder()

        try await Onside.client?.account.update { $0["region"] = "US" }
        _ = try await Onside.client?.checkSession()

        #expect(await recorder.storefronts(1) == ["US"])
        await mainActorIsIdle()
        #expect(recorder.storefronts.count == 1)
        #expect(queue.storefront?.countryCode == "US")
        await app.server.stop()
    }

    @Test func `A profile change that keeps the region is not reported`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        let recorder = Recorder()

        try await Onside.client?.account.update { $0["name"] = "Ada" }
        await mainActorIsIdle()

        #expect(recorder.storefronts == [])
        await app.server.stop()
    }

    @Test func `The storefront of a stored session is available at the next start`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        Onside.reset()
        #expect(queue.storefront == nil)
        let recorder = Recorder()

        _ = try app.restarted()

        #expect(queue.storefront?.countryCode == "AT")
        #expect(await recorder.storefronts(1) == ["AT"])
        await app.server.stop()
    }

    @Test func `A session that the server has ended also ends on the device`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        try await app.server.endAllSessions()
        let recorder = Recorder()

        let restarted = try app.restarted()

        #expect(await recorder.storefronts(3).last == .some(nil))
        #expect(queue.storefront == nil)
        await restarted.server.stop()
    }

    @Test func `The app is notified of a session that the server has ended`() async throws {
        let app = try await OnsideApp.started()
        app.configuration.client.followsSessionEvents = true
        try Onside.initialize(configuration: app.configuration)
        await app.logIn()
        let recorder = Recorder()

        let session = try #require(Onside.client?.sessionState.session)
        let other = try StoreApp(app.server)
        try await other.logIn()
        try await other.client.account.revokeSession(session.id)

        #expect(await recorder.storefronts(1) == [nil])
        #expect(queue.storefront == nil)
        await app.server.stop()
    }

    @Test(arguments: [NetworkFault.unreachable, .respond(503), .dropRequest])
    func `The session survives if the profile cannot be refreshed offline`(
        _ fault: NetworkFault
    ) async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        app.network.forgetExchanges()
        app.network.inject(fault, times: 100)

        let restarted = try app.restarted()
        await eventually { !app.network.exchanges.isEmpty }
        await mainActorIsIdle()

        #expect(queue.storefront?.countryCode == "AT")
        await restarted.server.stop()
    }
}

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `Products and history in OnsideKit` {
    @Test func `Products are fetched for a guessed region before login and again after login`() async throws {
        let app = try await OnsideApp.started(
            user: { OnsideUser($0, phone: StoreApp.norwegianPhone) },
            languages: ["en-US"]
        )

        let guess = try await answer { OnsideProductsRequest().start(completion: $0) }.get()
        await app.logIn()
        let known = try await answer {
            OnsideProductsRequest(productIdentifiers: [TestProduct.coins, "missing"]).start(completion: $0)
        }.get()

        #expect(guess.isGuess && guess.storefront.countryCode == "US")
        #expect(guess.products.map(\.productIdentifier) == [TestProduct.coins, TestProduct.game])
        #expect(!known.isGuess && known.storefront.countryCode == "NO")
        let coins = try #require(known.products.first)
        #expect(coins.localizedTitle == "100 coins" && coins.price == 12 && coins.currencyCode == "NOK")
        #expect(coins.priceLocale.identifier.hasPrefix("en_NO"))
        #expect(known.invalidProductIdentifiers == ["missing"])
        #expect(app.presenter.shopper.presentations == 1)
        await app.server.stop()
    }

    @Test func `The completion handler of a cancelled product request is never called`() async throws {
        let app = try await OnsideApp.started()
        let request = OnsideProductsRequest()
        let delegate = ProductsDelegate()
        request.delegate = delegate

        request.start { _ in Issue.record("The completion was called.") }
        request.cancel()
        let other = OnsideProductsRequest()
        other.delegate = delegate
        _ = await answer { other.start(completion: $0) }

        #expect(delegate.responses == 1)
        await app.server.stop()
    }

    @Test func `The history request never presents a login`() async throws {
        let app = try await OnsideApp.started()

        let result = await answer { Onside.makeSignedInAppsHistoryRequest().start(completion: $0) }

        #expect(throws: OnsideHistoryError.notLoggedIn) { try result.get() }
        #expect(app.presenter.shopper.presentations == 0)
        await app.server.stop()
    }

    @Test func `A logged-in user receives the history as a signed document`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()

        let result = await answer { Onside.makeSignedInAppsHistoryRequest().start(completion: $0) }

        #expect(try result.get().split(separator: ".").count == 3)
        app.network.inject(.unreachable)
        let offline = await answer { Onside.makeSignedInAppsHistoryRequest().start(completion: $0) }
        guard case .failure(.network) = offline else {
            Issue.record("The error is \(offline).")
            return
        }
        await app.server.stop()
    }
}

@MainActor private final class ProductsDelegate: OnsideProductsRequestDelegate {
    private(set) var responses = 0

    func onsideProductsRequest(_ request: OnsideProductsRequest, didReceive response: OnsideProductsResponse)
    {
        responses += 1
    }
}
