package import Latchkey
package import LatchkeyPurchases
package import LatchkeyTestKit

/// An app with purchases on a simulated device, connected to a real server with a catalog.
package struct StoreApp: Sendable {
    package static let phone = "+436641234567"
    package static let norwegianPhone = "+4740000001"

    package let server: TestServer
    package let network: TestTransport
    package let store: MemoryStore
    package let client: LatchkeyClient
    package let purchases: Purchases

    /// Starts the app.
    package init(
        _ server: TestServer,
        network: TestTransport? = nil,
        store: MemoryStore = MemoryStore(),
        languages: [String] = []
    ) throws {
        self.server = server
        self.network = network ?? server.transport()
        self.store = store
        client = try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.arcade",
            store: store,
            transport: self.network,
            languages: languages,
            time: server.time
        )
        purchases = Purchases(client)
    }

    /// Returns an app whose user is logged in, with a card if its number is given.
    package static func loggedIn(
        phone: String = phone,
        card: String? = TestCard.success
    ) async throws -> StoreApp {
        let app = try StoreApp(await TestServer.withStore())
        try await app.logIn(phone: phone)
        if let card { try await app.purchases.addSandboxCard(number: card) }
        return app
    }

    /// Starts the app again, or as a second process if this one is still in use.
    package func restarted() throws -> StoreApp {
        try StoreApp(server, network: network, store: store)
    }

    /// Logs the user in, and creates the account if there is none.
    package func logIn(phone: String = phone) async throws {
        // The server sends codes to a number only every 30 seconds.
        server.time.advance(by: .seconds(61))
        let sent = try await client.signIn.sendCode(to: phone, orSignUpWith: [:], schema: "shopper")
        try await sent.verify(server.code(for: phone))
    }

    /// Returns a product.
    package func product(_ id: String) async throws -> StoreProduct {
        let list = try await purchases.products([id])
        guard let product = list.products.first else { throw MissingProduct() }
        return product
    }

    /// The idempotency keys of the orders that were sent, in order.
    package var orderKeys: [String] {
        network.exchanges.filter { $0.request.path == "/a/commerce/orders" }
            .compactMap { $0.request.headers["Idempotency-Key"] }
    }

    /// Waits for the next updates of transactions, as `product state`.
    package func updates(_ count: Int) async -> [String] {
        var updates: [String] = []
        for await transaction in purchases.updates {
            updates.append("\(transaction.productID) \(transaction.state.rawValue)")
            if updates.count == count { break }
        }
        return updates
    }

    private struct MissingProduct: Error {}
}
