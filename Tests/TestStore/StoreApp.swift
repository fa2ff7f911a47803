package import Latchkey
import LatchkeyModel
package import LatchkeyPurchases
import LatchkeyServerKit
package import LatchkeyTestKit

/// An app that buys products from a real server with a catalog, running on a simulated device.
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
        languages: [String] = [],
        credential: Credential = .sessionToken,
        deviceKeys: (any DeviceKeyProvider)? = nil,
        url: String = TestServer.url
    ) throws {
        self.server = server
        let network = network ?? server.transport()
        self.network = network
        self.store = store
        client = try LatchkeyClient(server: url, app: "com.example.arcade") {
            $0.store = store
            $0.credential = credential
            $0.deviceKeys = deviceKeys
            $0.transport = network
            $0.languages = languages
            $0.time = server.time
        }
        purchases = Purchases(client)
    }

    /// Returns an app with a logged-in user.
    ///
    /// If a card number is given, the card is added.
    package static func loggedIn(
        phone: String = phone,
        card: String? = TestCard.success
    ) async throws -> StoreApp {
        let app = try StoreApp(await TestServer.withStore())
        try await app.logIn(phone: phone)
        if let card { try await app.purchases.addSandboxCard(number: card) }
        return app
    }

    /// Creates another app with the same server, network and store, to simulate a restart or a second
    /// process.
    package func restarted() throws -> StoreApp {
        try StoreApp(server, network: network, store: store)
    }

    /// Logs in the user.
    ///
    /// If the user doesn't have an account yet, an account is created.
    package func logIn(phone: String = phone) async throws {
        // The server limits how often it sends a code to the same number.
        server.time.advance(by: .seconds(61))
        let sent = try await client.codeSignIn.sendCode(to: phone, orSignUpWith: [:], schema: "shopper")
        try await sent.verify(server.code(for: phone))
    }

    /// Returns the product with the given identifier.
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

    /// Waits for up to twenty seconds for the next transaction updates, and returns them as `product state`.
    package func updates(_ count: Int) async -> [String] {
        await collect(count).map { "\($0.productID) \($0.state.rawValue)" }
    }

    /// Waits for the next transaction updates and returns their identifiers.
    package func deliveries(_ count: Int) async -> [String] {
        await collect(count).map(\.id)
    }

    private func collect(_ count: Int) async -> [StoreTransaction] {
        let collected = Locked<[StoreTransaction]>([])
        let updates = purchases.updates
        let task = Task {
            for await transaction in updates { collected.withLock { $0.append(transaction) } }
        }
        defer { task.cancel() }
        await eventually { collected.withLock { $0.count } >= count }
        return Array(collected.withLock { $0 }.prefix(count))
    }

    private struct MissingProduct: Error {}
}

extension TestTransport {
    /// Makes a server also answer under another name, as behind a proxy.
    package func reach(_ server: TestServer, at url: String) {
        serve(url) { await server.handler.respond(to: $0, from: .inProcess) }
    }
}
