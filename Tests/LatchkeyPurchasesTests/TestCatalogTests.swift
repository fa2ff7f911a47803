import LatchkeyPurchases
import LatchkeyTestKit
import Testing

/// Buys from a test server as the tests of an app would, with public declarations only.
@Suite(.timeLimit(.minutes(10))) struct `Test catalogs` {
    private static let phone = "+436641234567"
    private static let catalog = TestCatalog(
        storefronts: ["AT": "EUR", "NO": "NOK"],
        defaultRegion: "NO",
        products: [
            TestCatalog.Product(
                "coins.100",
                .consumable,
                title: "100 coins",
                description: "A bag of coins.",
                prices: ["AT": 99, "NO": 1200]
            ),
            TestCatalog.Product("game.meteor", .nonConsumable, title: "Meteor", prices: ["NO": 5900]),
        ]
    )

    /// Returns the purchases of a new customer in Austria who has added a card.
    private func purchases(on server: TestServer, card: String) async throws -> Purchases {
        let client = try TestDevice(server).client(app: "com.example.arcade")
        let sent = try await client.codeSignIn.sendCode(to: Self.phone, orSignUpWith: [:], schema: "shopper")
        try await sent.verify(server.code(for: Self.phone))
        let purchases = Purchases(client)
        try await purchases.addSandboxCard(number: card)
        return purchases
    }

    @Test func `The server sells the products of the storefront`() async throws {
        let server = try await TestServer(catalog: Self.catalog)
        let guest = try Purchases(TestDevice(server).client(languages: ["nb-NO"]))
        let customer = try await purchases(on: server, card: TestCard.success)

        let norway = try await guest.products()
        let austria = try await customer.products()

        #expect(norway.storefront.countryCode == "NO")
        #expect(norway.products.map(\.title) == ["100 coins", "Meteor"])
        #expect(norway.products.map(\.price.description) == ["12.00 NOK", "59.00 NOK"])
        #expect(norway.products.map(\.kind) == [.consumable, .nonConsumable])
        #expect(austria.storefront.countryCode == "AT")
        #expect(austria.products.map(\.description) == ["A bag of coins."])
        await server.stop()
    }

    @Test(arguments: [
        (TestCard.success, StoreTransaction.State.purchased, StoreTransaction.Failure?.none),
        (TestCard.decline, .failed, .declined), (TestCard.confirmation, .deferred, nil),
        (TestCard.timeout, .purchasing, nil),
    ])
    func `The card determines the outcome of a payment`(
        _ card: String,
        state: StoreTransaction.State,
        failure: StoreTransaction.Failure?
    ) async throws {
        let server = try await TestServer(catalog: Self.catalog)
        let purchases = try await purchases(on: server, card: card)
        let product = try #require(try await purchases.products(["coins.100"]).products.first)

        let transaction = try await purchases.buy(product)

        #expect(transaction.state == state)
        #expect(transaction.failure == failure)
        if state == .deferred {
            #expect(try await purchases.confirm(transaction.id, approve: true).state == .purchased)
        }
        await server.stop()
    }

    @Test func `The catalog is still there after a restart`() async throws {
        let server = try await TestServer(catalog: Self.catalog)
        try await server.restart()

        let guest = try Purchases(TestDevice(server).client())
        #expect(try await guest.products().products.count == 2)
        await server.stop()
    }

    @Test func `A server with an invalid catalog does not start and reports every problem`() async {
        let catalog = TestCatalog(
            storefronts: ["AT": "EUR"],
            products: [
                TestCatalog.Product("coins 100", .consumable, title: "100 coins", prices: ["AT": 99]),
                TestCatalog.Product("game.meteor", .nonConsumable, title: "Meteor", prices: ["SE": 5900]),
            ]
        )

        await #expect {
            _ = try await TestServer(catalog: catalog)
        } throws: {
            "\($0)".contains("products[0]: id must") && "\($0)".contains("\"SE\" is not in storefronts")
        }
    }
}
