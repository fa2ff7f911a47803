import Foundation
import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestDatabases
import TestStore
import Testing

@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Logins in the store app` {
    private func started(
        user: ((TestServer) -> OnsideUser)? = nil
    ) async throws -> (app: OnsideApp, store: StoreAppOnDevice) {
        try await OnsideRoute.$current.withValue(.appToApp) {
            let app = try await OnsideApp.started(user: user)
            return (app, try #require(app.storeApp))
        }
    }

    @Test func `A tap in the store app logs the game in, and its purchase goes on`() async throws {
        let (app, store) = try await started()
        let recorder = Recorder()

        let result = await answer { completion in
            Onside.defaultPaymentQueue().add(
                OnsidePayment(productIdentifier: TestProduct.coins),
                completion: completion
            )
        }

        #expect(result.error == nil)
        // The first order was refused, because the account had no card.
        #expect(app.orders == 2)
        #expect(Onside.defaultPaymentQueue().storefront?.countryCode == "AT")
        #expect(await recorder.storefronts(1) == ["AT"])
        #expect(store.opened.count == 1 && store.errors.isEmpty)
        // The login in the game itself would have begun a flow.
        #expect(!app.network.exchanges.contains { $0.request.path.contains("self-service") })
        #expect(
            Onside.client?.sessionState.session?.identity.id == store.client.sessionState.session?.identity.id
        )
        #expect(Onside.client?.sessionState.session?.id != store.client.sessionState.session?.id)
        #expect(Onside.account == "+43…67")
        await app.server.stop()
    }

    @Test func `A refusal in the store app discards the login`() async throws {
        let (app, store) = try await started()
        store.decision = .refuse

        let result = await answer { Onside.requestLogin(completion: $0) }

        #expect(result.error == .loginDiscarded)
        #expect(store.errors.isEmpty && app.presenter.shopper.endings == [.dismissed])
        await app.server.stop()
    }

    @Test func `The URL of the store app contains only the client and the URI of its request`() async throws {
        let (app, store) = try await started()

        _ = await answer { Onside.requestLogin(completion: $0) }

        let url = try #require(store.opened.first)
        #expect(
            url.hasPrefix(
                "onside://authorize?client_id=com.example.arcade&request_uri=urn%3Aietf%3Aparams%3Aoauth"
            )
        )
        #expect(url.count { $0 == "&" } == 1)
        await app.server.stop()
    }
}
