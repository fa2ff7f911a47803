import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestStore
import Testing

@testable import LatchkeyPurchases

@Suite struct `Unfinished transactions` {
    /// Returns an app that has three unfinished purchases.
    private static func appWithPurchases() async throws -> (app: StoreApp, ids: [String]) {
        let app = try await StoreApp.loggedIn()
        var ids: [String] = []
        for product in [TestProduct.coins, TestProduct.game, TestProduct.coins] {
            ids.append(try await app.purchases.buy(app.product(product)).id)
            app.server.time.advance(by: .seconds(1))
        }
        return (app, ids)
    }

    @Test func `Unfinished transactions are delivered in order at each start until they are finished`()
        async throws
    {
        let (app, ids) = try await Self.appWithPurchases()

        let second = try app.restarted()
        #expect(await second.deliveries(3) == ids)
        try await second.purchases.finish(ids[1])
        let third = try app.restarted()

        #expect(await third.deliveries(2) == [ids[0], ids[2]])
        await app.server.stop()
    }

    @Test func `Unfinished transactions are delivered while the device is offline`() async throws {
        let (app, ids) = try await Self.appWithPurchases()
        app.network.inject(.unreachable, times: 1000)

        let restarted = try app.restarted()

        #expect(await restarted.deliveries(3) == ids)
        await app.server.stop()
    }

    @Test func `A transaction that was finished offline is not delivered again`() async throws {
        let (app, ids) = try await Self.appWithPurchases()
        app.network.inject(.unreachable, on: .post, "/a/commerce/transactions/\(ids[0])/finish")

        try await app.purchases.finish(ids[0])
        #expect(try await app.purchases.transaction(ids[0]).finishedAt == nil)
        let restarted = try app.restarted()

        #expect(await restarted.deliveries(2) == [ids[1], ids[2]])
        try await restarted.purchases.refresh()
        #expect(try await restarted.purchases.transaction(ids[0]).finishedAt != nil)
        #expect(try await restarted.purchases.record.read().finished == [])
        await app.server.stop()
    }

    @Test func `Transactions are delivered later if the app starts offline`() async throws {
        let (app, ids) = try await Self.appWithPurchases()
        let other = try StoreApp(app.server)
        other.network.inject(.unreachable, on: .get, "/a/commerce/transactions", times: 1)

        try await other.logIn()
        await other.server.time.sleepers(atLeast: 1)
        other.server.time.advance(by: .seconds(10))

        #expect(await other.deliveries(3) == ids)
        await app.server.stop()
    }

    @Test func `Transactions are removed by a sign-out and delivered again when the same account logs in`()
        async throws
    {
        let (app, ids) = try await Self.appWithPurchases()

        app.client.signOut()
        #expect(app.purchases.unfinishedTransactions == [])
        try await app.logIn(phone: StoreApp.norwegianPhone)
        try await app.purchases.refresh()
        #expect(app.purchases.unfinishedTransactions == [])
        try await app.logIn()

        #expect(await app.deliveries(3) == ids)
        await app.server.stop()
    }

    @Test func `A transaction that another device has finished is removed`() async throws {
        let (app, ids) = try await Self.appWithPurchases()
        let other = try StoreApp(app.server)
        try await other.logIn()
        #expect(await other.deliveries(3) == ids)

        try await other.purchases.finish(ids[0])
        try await app.purchases.refresh()
        #expect(app.purchases.unfinishedTransactions.map(\.id) == [ids[1], ids[2]])
        let restarted = try app.restarted()

        #expect(await restarted.deliveries(2) == [ids[1], ids[2]])
        #expect(try await restarted.purchases.record.read().transactions.map(\.id) == [ids[1], ids[2]])
        await app.server.stop()
    }

    @Test func `A refresh continues when a new login replaces the session`() async throws {
        let server = FakeIdentityServer()
        let route = "GET /a/commerce/transactions"
        server.respond(to: route, with: .json(200, #"{"transactions":[]}"#))
        let client = try LatchkeyClient(server: FakeIdentityServer.origin, app: "com.example.arcade") {
            $0.store = MemoryStore()
            $0.deviceKeys = FakeDeviceKeys()
            $0.transport = server
            $0.time = VirtualTime()
        }
        let purchases = Purchases(client)
        try await client.signIn(phone: StoreApp.phone, password: TestAccount.passcode)
        try await purchases.refresh()

        server.forgetRequests()
        server.hold(route)
        let refresh = Task { try await purchases.refresh() }
        while !server.log.contains(where: { $0.hasPrefix(route) }) { await Task.yield() }
        try await client.signIn(phone: StoreApp.phone, password: TestAccount.passcode)
        server.release()

        try await refresh.value
    }

    @Test func `Transactions are not requested without a session`() async throws {
        let app = try StoreApp(await TestServer.withStore())

        try await app.purchases.refresh()

        #expect(app.network.exchanges.isEmpty)
        await app.server.stop()
    }
}

@Suite struct `Payment methods, entitlements and history` {
    @Test func `Payment methods can be added, made the default and removed`() async throws {
        let app = try await StoreApp.loggedIn(card: nil)
        let purchases = app.purchases

        let first = try await purchases.addSandboxCard(number: "4242 4242-4242 4242")
        app.server.time.advance(by: .seconds(1))
        let second = try await purchases.addSandboxCard(number: TestCard.decline)
        #expect(first.isDefault && first.lastFour == "4242" && !second.isDefault)
        try await purchases.makeDefault(second.id)
        let isDefault = Dictionary(
            uniqueKeysWithValues: try await purchases.paymentMethods().map { ($0.id, $0.isDefault) }
        )
        #expect(isDefault == [first.id: false, second.id: true])
        try await purchases.removePaymentMethod(second.id)
        try await purchases.removePaymentMethod(second.id)
        #expect(try await purchases.paymentMethods().map(\.isDefault) == [true])
        #expect(await failure { try await purchases.makeDefault(second.id) }?.code == .notFound)
        await app.server.stop()
    }

    @Test(arguments: ["", ".", ".."])
    func `An identifier that would lead to another route is not found`(_ id: String) async throws {
        let app = try await StoreApp.loggedIn(card: nil)
        let purchases = app.purchases
        app.network.forgetExchanges()

        let errors = [
            await failure { try await purchases.finish(id) },
            await failure { try await purchases.transaction(id) },
            await failure { try await purchases.confirm(id, approve: true) },
            await failure { try await purchases.makeDefault(id) },
            await failure { try await purchases.removePaymentMethod(id) },
        ]

        #expect(errors.map(\.?.code) == Array(repeating: .notFound, count: errors.count))
        // After the login, the client requests the list of transactions in the background.
        #expect(app.network.exchanges.allSatisfy { $0.request.path == "/a/commerce/transactions" })
        await app.server.stop()
    }

    @Test(arguments: ["4111111111111111", "", "4242"])
    func `A number that is not a sandbox card is rejected`(_ number: String) async throws {
        let app = try await StoreApp.loggedIn(card: nil)

        let error = await failure { try await app.purchases.addSandboxCard(number: number) }

        #expect(error?.code == .cardNotAccepted)
        await app.server.stop()
    }

    @Test func `The number of payment methods is limited`() async throws {
        let app = try await StoreApp.loggedIn(card: nil)

        var error: PurchaseError?
        for _ in 0..<11 where error == nil {
            error = await failure { try await app.purchases.addSandboxCard(number: TestCard.success) }
        }

        #expect(error?.code == .tooManyPaymentMethods)
        await app.server.stop()
    }

    @Test func `Non-consumable products are entitlements and can be restored`() async throws {
        let app = try await StoreApp.loggedIn()
        _ = try await app.purchases.buy(app.product(TestProduct.coins))
        let game = try await app.purchases.buy(app.product(TestProduct.game))
        try await app.purchases.finish(game.id)

        #expect(try await app.purchases.restore().map(\.id) == [game.id])
        #expect(
            try await app.purchases.entitlements().map { [$0.productID, $0.transactionID] }
                == [[TestProduct.game, game.id]]
        )
        await app.server.stop()
    }

    @Test func `The signed history contains the audience, the account and the purchases`() async throws {
        let app = try await StoreApp.loggedIn()
        let transaction = try await app.purchases.buy(app.product(TestProduct.coins))

        let history = try await app.purchases.history(for: "com.example.arcade")

        let parts = history.split(separator: ".")
        #expect(parts.count == 3)
        let claims = try #require(Base64URL.decode(String(parts[1])))
        let json = try JSONCoding.decode(JSONValue.self, from: claims)
        #expect(json["aud"]?.text == "com.example.arcade")
        #expect(json["sub"]?.text == app.client.sessionState.session?.identity.id)
        #expect(json["purchases"]?.array?.map { $0["transaction_id"]?.text } == [transaction.id])
        await app.server.stop()
    }

    @Test func `Requesting the signed history never presents a login`() async throws {
        let app = try StoreApp(await TestServer.withStore())

        let error = await failure { try await app.purchases.history(for: "com.example.arcade") }

        #expect(error?.code == .loginRequired && error?.cause?.code == .signedOut)
        await app.server.stop()
    }
}
