import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestStore
import Testing

@testable import LatchkeyPurchases

@Suite struct `Buying a product` {
    @Test func `A rejected order is not placed again for the next user`() async throws {
        let app = try await StoreApp.loggedIn(card: nil)
        let next = StoreApp.norwegianPhone
        let order = app.purchases.order(of: TestProduct.coins)

        let result: Result<StoreTransaction, PurchaseError>
        do throws(PurchaseError) {
            result = .success(
                try await app.purchases.buy(order) { error in
                    guard error.code == .paymentMethodRequired else { return false }
                    app.client.signOut()
                    try? await app.logIn(phone: next)
                    return true
                }
            )
        } catch {
            result = .failure(error)
        }

        #expect(throws: PurchaseError.self) { try result.get() }
        #expect(app.client.sessionState.session != nil)
        #expect(app.orderKeys.count == 1)
        await app.server.stop()
    }

    @Test func `A purchase is delivered once and no longer stored after it has been finished`() async throws {
        let app = try await StoreApp.loggedIn()
        var updates = app.purchases.updates.makeAsyncIterator()

        let transaction = try await app.purchases.buy(app.product(TestProduct.coins), quantity: 3)

        #expect(transaction.state == .purchased && transaction.quantity == 3)
        #expect(transaction.countryCode == "AT" && transaction.price.description == "0.99 EUR")
        #expect(await updates.next() == transaction)
        #expect(app.purchases.unfinishedTransactions == [transaction])
        try await app.purchases.finish(transaction.id)
        #expect(app.purchases.unfinishedTransactions == [])
        #expect(try await app.purchases.transactions(unfinishedOnly: true) == [])
        #expect(try await app.purchases.transaction(transaction.id).finishedAt != nil)
        #expect(try await app.purchases.record.read().isEmpty)
        await app.server.stop()
    }

    @Test @MainActor func `A purchase without a session presents a login and then continues`()
        async throws
    {
        let server = try await TestServer.withStore()
        let app = try StoreApp(server)
        let user = Shopper(server)
        app.client.presenter = user
        app.client.loginStart = .code(signUpSchema: "shopper")

        let product = try await app.product(TestProduct.coins)
        let error = await failure { try await app.purchases.buy(product) }
        #expect(error?.code == .paymentMethodRequired)
        try await app.purchases.addSandboxCard(number: TestCard.success)
        let transaction = try await app.purchases.buy(product)

        #expect(transaction.state == .purchased)
        #expect(user.presentations == 1)
        await server.stop()
    }

    @Test @MainActor func `No order is sent if the user dismisses the login`() async throws {
        let server = try await TestServer.withStore()
        let app = try StoreApp(server)
        let user = Shopper(server, dismisses: true)
        app.client.presenter = user
        let product = try await app.product(TestProduct.coins)

        let error = await failure { try await app.purchases.buy(product) }

        #expect(error?.code == .loginRequired)
        #expect(error?.cause?.code == .dismissed)
        #expect(app.orderKeys == [])
        await server.stop()
    }

    @Test func `An order is retried immediately with the same key if its response is lost`() async throws {
        let app = try await StoreApp.loggedIn()
        app.network.inject(.dropResponse, on: .post, "/a/commerce/orders")

        let transaction = try await app.purchases.buy(app.product(TestProduct.coins))

        #expect(app.orderKeys.count == 2 && Set(app.orderKeys).count == 1)
        #expect(try await app.purchases.transactions().map(\.id) == [transaction.id])
        #expect(try await app.purchases.record.read().orders == [])
        await app.server.stop()
    }

    @Test(arguments: [400, 403, 404, 408, 409])
    func `An error with an id that isn't the server's leaves the outcome of an order unknown`(
        _ status: Int
    ) async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        let intermediary = Intermediary(app.server, on: app.network)
        intermediary.interfere { $0.path == "/a/commerce/orders" ? .foreignError(status) : nil }

        let error = await failure { try await app.purchases.buy(product) }

        #expect(error?.code == .outcomeUnknown)
        #expect(try await app.purchases.record.read().orders.map(\.key) == Array(app.orderKeys.prefix(1)))
        #expect(Set(app.orderKeys).count == 1)
        await app.server.stop()
    }

    @Test(arguments: [NetworkFault.dropResponse, .dropRequest, .respond(503)])
    func `An order is retried with the same key until its outcome is known`(
        _ fault: NetworkFault
    ) async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        app.network.inject(fault, on: .post, "/a/commerce/orders", times: 2)

        let error = await failure { try await app.purchases.buy(product) }
        #expect(error?.code == .outcomeUnknown)
        #expect(try await app.purchases.record.read().orders.map(\.key) == Array(app.orderKeys.prefix(1)))
        await app.server.time.sleepers(atLeast: 1)
        app.server.time.advance(by: .seconds(10))

        #expect(await app.updates(1) == ["coins.100 purchased"])
        #expect(app.orderKeys.count == 3 && Set(app.orderKeys).count == 1)
        #expect(try await app.purchases.transactions().count == 1)
        await app.server.stop()
    }

    @Test func `An order whose response was lost is delivered after a crash`() async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        app.network.inject(.dropResponse, on: .post, "/a/commerce/orders", times: 2)
        _ = await failure { try await app.purchases.buy(product) }

        let restarted = try app.restarted()

        #expect(await restarted.updates(1) == ["coins.100 purchased"])
        #expect(Set(restarted.orderKeys).count == 1)
        #expect(try await restarted.purchases.transactions().count == 1)
        #expect(try await restarted.purchases.record.read().orders == [])
        await app.server.stop()
    }

    @Test func `An order is stored before it is sent`() async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        app.network.inject(.delay(.seconds(10)), on: .post, "/a/commerce/orders")

        // The process stops before the order is sent.
        let purchase = Task { try await app.purchases.buy(product) }
        await app.server.time.sleepers(atLeast: 1)
        let stored = try await app.purchases.record.read().orders
        let restarted = try app.restarted()

        #expect(stored.count == 1)
        #expect(await restarted.updates(1) == ["coins.100 purchased"])
        #expect(restarted.orderKeys == stored.map(\.key))
        // The first process was only suspended, and gets the same result when it resumes.
        app.server.time.advance(by: .seconds(10))
        #expect(try await purchase.value.state == .purchased)
        #expect(try await restarted.purchases.transactions().count == 1)
        await app.server.stop()
    }

    @Test func `An order that cannot be stored is not sent`() async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        app.store.lock()

        let error = await failure { try await app.purchases.buy(product) }

        #expect(error?.code == .storage)
        #expect(app.orderKeys == [])
        await app.server.stop()
    }

    @Test func `An order that could not be sent is discarded`() async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        app.network.inject(.unreachable, on: .post, "/a/commerce/orders")

        #expect(await failure { try await app.purchases.buy(product) }?.code == .unavailable)

        #expect(try await app.purchases.record.read().isEmpty)
        await app.server.stop()
    }

    @Test func `Cancelling the caller does not cancel an order that has been sent`() async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/commerce/orders")

        let purchase = Task { try await app.purchases.buy(product) }
        await app.server.time.sleepers(atLeast: 1)
        purchase.cancel()
        app.server.time.advance(by: .seconds(5))

        #expect(try await purchase.value.state == .purchased)
        await app.server.stop()
    }

    @Test func `Rejected orders fail with different error codes and are not stored`() async throws {
        let app = try await StoreApp.loggedIn(card: nil)
        let coins = try await app.product(TestProduct.coins)
        var other = coins
        other.id = TestProduct.theme
        var cheap = coins
        cheap.price = try #require(Money(1, coins.price.currency))

        #expect(await failure { try await app.purchases.buy(coins) }?.code == .paymentMethodRequired)
        try await app.purchases.addSandboxCard(number: TestCard.success)
        #expect(await failure { try await app.purchases.buy(other) }?.code == .productUnavailable)
        #expect(await failure { try await app.purchases.buy(cheap) }?.code == .priceChanged)
        #expect(await failure { try await app.purchases.buy(coins, quantity: 0) }?.code == .refused)
        let game = try await app.product(TestProduct.game)
        _ = try await app.purchases.buy(game)
        #expect(await failure { try await app.purchases.buy(game) }?.code == .alreadyPurchased)

        #expect(try await app.purchases.record.read().orders == [])
        #expect(Set(app.orderKeys).count == app.orderKeys.count)
        await app.server.stop()
    }

    @Test func `An order that was rejected can be accepted later with the same key`() async throws {
        let app = try await StoreApp.loggedIn(card: nil)
        let order = app.purchases.order(of: TestProduct.coins)

        let transaction = try await app.purchases.buy(order) { error in
            (try? await app.purchases.addSandboxCard(number: TestCard.success)) != nil
                && error.code == .paymentMethodRequired
        }

        #expect(transaction.state == .purchased)
        #expect(app.orderKeys == [order.key, order.key])
        await app.server.stop()
    }

    @Test func `A declined payment results in a failed transaction`() async throws {
        let app = try await StoreApp.loggedIn(card: TestCard.decline)

        let transaction = try await app.purchases.buy(app.product(TestProduct.coins))

        #expect(transaction.state == .failed && transaction.failure == .declined)
        try await app.purchases.finish(transaction.id)
        #expect(app.purchases.unfinishedTransactions == [])
        await app.server.stop()
    }

    @Test(arguments: [
        (true, StoreTransaction.State.purchased, StoreTransaction.Failure?.none),
        (false, .failed, StoreTransaction.Failure.confirmationDenied),
    ])
    func `A deferred payment waits for confirmation`(
        _ approves: Bool,
        _ state: StoreTransaction.State,
        _ failure: StoreTransaction.Failure?
    ) async throws {
        let app = try await StoreApp.loggedIn(card: TestCard.confirmation)
        var updates = app.purchases.updates.makeAsyncIterator()

        let deferred = try await app.purchases.buy(app.product(TestProduct.coins))
        #expect(deferred.state == .deferred)
        #expect(
            await LatchkeyPurchasesTests.failure { try await app.purchases.finish(deferred.id) }?.code
                == .transactionPending
        )
        let confirmed = try await app.purchases.confirm(deferred.id, approve: approves)

        #expect(confirmed.state == state && confirmed.failure == failure)
        var states: [StoreTransaction.State] = []
        while states.last != state, let update = await updates.next() { states.append(update.state) }
        #expect(states.first == .deferred)
        await app.server.stop()
    }

    @Test func `A confirmed payment is delivered even if the server's clock was set back`() async throws {
        let app = try await StoreApp.loggedIn(card: TestCard.confirmation)
        let transaction = try await app.purchases.buy(app.product(TestProduct.coins))
        #expect(transaction.state == .deferred)
        app.server.time.stepWallClock(by: .seconds(-3600))

        try await app.purchases.confirm(transaction.id, approve: true)

        #expect(app.purchases.unfinishedTransactions.map(\.state) == [.purchased])
        await app.server.stop()
    }

    @Test func `A pending payment is polled until it succeeds or fails`() async throws {
        let app = try await StoreApp.loggedIn(card: TestCard.timeout)
        let product = try await app.product(TestProduct.coins)

        let pending = try await app.purchases.buy(product)
        #expect(pending.state == .purchasing)
        let states = await app.server.time.advancing(by: .seconds(30)) { () -> [String] in
            await app.updates(2)
        }

        #expect(states.first == "coins.100 purchasing")
        #expect(["coins.100 purchased", "coins.100 failed"].contains(states.last))
        await app.server.stop()
    }

    @Test func `A purchase whose session has ended continues after the next login`() async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)
        let user = await Shopper(app.server)
        await MainActor.run {
            app.client.presenter = user
            app.client.loginStart = .code(signUpSchema: "shopper")
        }
        app.server.time.advance(by: .seconds(61))
        try await app.server.endAllSessions()

        let transaction = try await app.purchases.buy(product)

        #expect(transaction.state == .purchased)
        #expect(await user.presentations == 1)
        #expect(Set(app.orderKeys).count == 1)
        await app.server.stop()
    }
}

/// Returns the error that a call throws, or `nil` if it succeeds.
func failure(_ call: () async throws -> some Sendable) async -> PurchaseError? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? PurchaseError
    }
}

@Suite struct `Many concurrent purchases` {
    @Test func `All 50 orders are accepted, but only a few are sent at a time`() async throws {
        let app = try await StoreApp.loggedIn()
        let product = try await app.product(TestProduct.coins)

        let states = try await withThrowingTaskGroup(of: StoreTransaction.State.self) { group in
            for _ in 0..<50 { group.addTask { try await app.purchases.buy(product).state } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(states == Array(repeating: .purchased, count: 50))
        #expect(Set(app.orderKeys).count == 50)
        #expect(try await app.purchases.transactions(unfinishedOnly: true).count == 50)
        #expect(app.purchases.unfinishedTransactions.count == 50)
        await app.server.stop()
    }
}
