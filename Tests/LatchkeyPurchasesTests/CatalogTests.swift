import Latchkey
import LatchkeyPurchases
import LatchkeyTestKit
import TestStore
import Testing

@Suite struct `The product catalog` {
    @Test(arguments: [
        ([], "AT", "EUR", "100 coins"), (["nb-NO"], "NO", "NOK", "100 mynter"),
        (["en-US"], "US", "USD", "100 coins"),
        (["fi-FI"], "AT", "EUR", "100 coins"),
    ])
    func `Products are fetched for a guessed region before a login`(
        _ languages: [String],
        _ region: String,
        _ currency: String,
        _ title: String
    ) async throws {
        let app = try StoreApp(await TestServer.withStore(), languages: languages)

        let list = try await app.purchases.products()

        #expect(list.storefront.countryCode == region && list.storefront.isGuess)
        #expect(list.storefront.currency == currency)
        #expect(list.products.allSatisfy { $0.price.currency.code == currency })
        #expect(list.products.first?.title == title)
        #expect(try await app.purchases.storefront() == list.storefront)
        await app.server.stop()
    }

    @Test func `After a login, products are priced for the account's region`() async throws {
        let app = try StoreApp(await TestServer.withStore())
        let guess = try await app.purchases.products([TestProduct.coins, TestProduct.theme])
        #expect(guess.products.map(\.id) == [TestProduct.coins])
        #expect(guess.unknownIDs == [TestProduct.theme])

        try await app.logIn(phone: StoreApp.norwegianPhone)

        let list = try await app.purchases.products([TestProduct.coins, TestProduct.theme])
        #expect(list.storefront.countryCode == "NO" && !list.storefront.isGuess)
        #expect(list.products.map(\.price.description) == ["12.00 NOK", "29.00 NOK"])
        #expect(list.products.map(\.kind) == [.consumable, .nonConsumable])
        await app.server.stop()
    }

    @Test func `Products can be fetched after the server has ended the session`() async throws {
        let app = try await StoreApp.loggedIn(phone: StoreApp.norwegianPhone)
        try await app.server.endAllSessions()

        let list = try await app.purchases.products()

        #expect(list.storefront.isGuess)
        #expect(app.client.sessionState == .signedOut)
        await app.server.stop()
    }

    @Test func `Catalog requests report network errors`() async throws {
        let app = try StoreApp(await TestServer.withStore())
        app.network.inject(.unreachable)

        await #expect { try await app.purchases.products() } throws: {
            ($0 as? PurchaseError)?.code == .unavailable
        }
        await app.server.stop()
    }
}
