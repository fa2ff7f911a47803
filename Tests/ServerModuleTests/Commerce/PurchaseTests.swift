import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Deferred purchases", .onEachDatabase)
struct DeferredPurchaseTests {
    private func deferred(_ product: String = "coins.100") async throws -> (Shop, String) {
        let shop = try await Shop()
        try await shop.addCard(.confirmation)
        let answer = try await shop.order(product)
        try #require(answer.state == "deferred", "\(answer.body)")
        return (shop, answer.transactionID)
    }

    @Test func `A deferred purchase is charged once it has been confirmed`() async throws {
        let (shop, id) = try await deferred()
        #expect(try await shop.charges() == 0)
        #expect(try await shop.order().state == "deferred")
        for _ in 0..<2 {
            let confirmed = try await shop.confirm(id, approve: true)
            #expect(confirmed.status == 200)
            #expect(confirmed.state == "purchased")
        }
        #expect(try await shop.confirm(id, approve: false).state == "purchased")
        #expect(try await shop.charges() == 1)
    }

    @Test func `A deferred purchase fails if it is denied`() async throws {
        let (shop, id) = try await deferred()
        let denied = try await shop.confirm(id, approve: false)
        #expect(denied.state == "failed")
        #expect(denied.transaction?["failure"] == "confirmation_denied")
        #expect(try await shop.confirm(id, approve: true).state == "failed")
        #expect(try await shop.charges() == 0)
        #expect(try await shop.audited(.purchaseFailed) == 1)
    }

    @Test func `Only the account itself can confirm its deferred purchases`() async throws {
        let (shop, id) = try await deferred()
        let other = try await shop.other()
        #expect(try await other.confirm(id, approve: true).status == 404)
        #expect(try await other.confirm(id, approve: false).status == 404)
        #expect(await other.get(Route.Commerce.transactions + "/" + id).status == 404)
        #expect(try await other.post(Route.Commerce.completion(of: id)).status == 404)
        #expect(try await shop.order().state == "deferred")
        #expect(try await shop.confirm("none", approve: true).status == 404)
    }

    @Test func `Concurrent approvals and denials charge at most once`() async throws {
        let (shop, id) = try await deferred()
        let (approved, denied) = try await race(
            { _ in try await shop.confirm(id, approve: true) },
            against: { _ in try await shop.confirm(id, approve: false) }
        )
        let states = Set((approved + denied).map(\.state))
        #expect(states.count == 1)
        #expect(try await shop.charges() == (states == ["purchased"] ? 1 : 0))
    }

    @Test func `A deferred purchase fails if it isn't confirmed in time`() async throws {
        let (shop, id) = try await deferred()
        try await shop.recover(after: .seconds(86_000))
        #expect(try await shop.order().state == "deferred")
        try await shop.recover(after: .seconds(401))
        let expired = await shop.get(Route.Commerce.transactions + "/" + id)
        #expect(expired.state == "failed")
        #expect(expired.transaction?["failure"] == "timed_out")
        #expect(try await shop.confirm(id, approve: true).state == "failed")
    }

    @Test func `A deferred non-consumable product can't be ordered again`() async throws {
        let (shop, id) = try await deferred("pro")
        #expect(try await shop.order("pro", key: "second").errorID == .purchasePending)
        #expect(try await shop.confirm(id, approve: false).state == "failed")
        #expect(try await shop.order("pro", key: "third").state == "deferred")
    }

    @Test func `Removing the payment method cancels its deferred purchases`() async throws {
        let (shop, id) = try await deferred()
        let method = await shop.get(Route.Commerce.paymentMethods)["payment_methods"]?.first?["id"]?.text
        _ = await shop.server.delete(Route.Commerce.paymentMethods + "/" + (method ?? ""), token: shop.token)
        let cancelled = try await shop.confirm(id, approve: true)
        #expect(cancelled.state == "failed")
        #expect(cancelled.transaction?["failure"] == "cancelled")
        #expect(try await shop.charges() == 0)
    }
}

@Suite("Pending purchases", .onEachDatabase)
struct PendingPurchaseTests {
    /// Places an order with a card whose payments stay pending for a while.
    private func pending(_ product: String, timeout: Duration = .seconds(3600)) async throws -> (Shop, String)
    {
        let shop = try await Shop { $0.commerce.paymentTimeout = timeout }
        try await shop.addCard(.timeout)
        let answer = try await shop.order(product)
        try #require(answer.state == "purchasing", "\(answer.body)")
        return (shop, answer.transactionID)
    }

    @Test(arguments: [("level-pack", "purchased"), ("coins.100", "failed")])
    func `A pending purchase is completed or fails when the server next recovers purchases`(
        product: String,
        state: String
    ) async throws {
        let (shop, id) = try await pending(product)
        #expect(try await shop.order(product).state == "purchasing")
        #expect(try await shop.post(Route.Commerce.completion(of: id)).errorID == .transactionPending)
        try await shop.recover(after: .seconds(11))
        #expect(try await shop.order(product).state == "purchasing")
        try await shop.recover(after: .seconds(20))
        let answer = await shop.get(Route.Commerce.transactions + "/" + id)
        #expect(answer.state == state)
        #expect(answer.transaction?["failure"]?.text == (state == "failed" ? "timed_out" : nil))
        #expect(try await shop.charges() == (state == "failed" ? 0 : 1))
    }

    @Test func `Repeating the order retrieves the result of a pending purchase`() async throws {
        let (shop, _) = try await pending("level-pack")
        shop.time.advance(by: .seconds(31))
        #expect(try await shop.order("level-pack").state == "purchased")
        #expect(try await shop.charges() == 1)
    }

    @Test func `A pending purchase is cancelled with the provider after the timeout`() async throws {
        let shop = try await Shop { configuration in
            configuration.commerce.paymentTimeout = .seconds(60)
            configuration.commerce.sandboxDelay = .seconds(3600)
        }
        try await shop.addCard(.timeout)
        #expect(try await shop.order("level-pack").state == "purchasing")
        try await shop.recover(after: .seconds(61))
        let failed = try await shop.order("level-pack")
        #expect(failed.state == "failed")
        #expect(failed.transaction?["failure"] == "timed_out")
        shop.time.advance(by: .seconds(7200))
        #expect(try await shop.order("level-pack").state == "failed")
        #expect(try await shop.charges() == 0)
    }

    /// Puts the database into the state that a crash would leave between storing the order and storing its
    /// result.
    private func crash(_ shop: Shop, afterCharge: Bool) async throws {
        let due = shop.time.now + .seconds(10)
        try await shop.database.transaction { transaction in
            try transaction.execute(
                """
                UPDATE purchases SET state = 'purchasing', purchased_at = NULL, version = 0, due_at = $1, \
                payment_token = (SELECT token FROM payment_methods)
                """,
                .time(due)
            )
            if !afterCharge { try transaction.execute("DELETE FROM sandbox_payments") }
        }
    }

    @Test(arguments: [false, true])
    func `Repeating the order completes a purchase after a crash`(afterCharge: Bool) async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let id = try await shop.order("pro").transactionID
        try await crash(shop, afterCharge: afterCharge)
        let repeated = try await shop.order("pro")
        #expect(repeated.status == 200)
        #expect(repeated.transactionID == id)
        #expect(repeated.state == "purchased")
        #expect(try await shop.charges() == 1)
        #expect(await shop.owned() == ["pro"])
    }

    @Test(arguments: [false, true])
    func `Purchase recovery completes a purchase after a crash`(afterCharge: Bool) async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let id = try await shop.order("pro").transactionID
        try await crash(shop, afterCharge: afterCharge)
        try await shop.server.assembly.commerce?.recovery.round()
        #expect(await shop.get(Route.Commerce.transactions + "/" + id).state == "purchasing")
        try await shop.recover()
        #expect(await shop.get(Route.Commerce.transactions + "/" + id).state == "purchased")
        #expect(try await shop.charges() == 1)
        #expect(try await shop.server.assembly.commerce?.recovery.round() == 0)
    }

    @Test func `When several nodes recover the same purchase, it is charged only once`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        _ = try await shop.order("pro")
        try await crash(shop, afterCharge: false)
        shop.time.advance(by: .seconds(11))
        let nodes = (0..<4).map { _ in
            ServerAssembly(
                shop.server.configuration,
                url: SelfServiceServer.url,
                resources: shop.server.resources,
                courier: shop.server.courier,
                issuer: nil,
                log: .silent
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes { group.addTask { try await node.commerce?.recovery.round() } }
            for _ in 0..<4 { group.addTask { _ = try await shop.order("pro") } }
            try await group.waitForAll()
        }
        #expect(try await shop.order("pro").state == "purchased")
        #expect(try await shop.charges() == 1)
        #expect(try await shop.audited(.purchased) == 2)
    }
}

@Suite("Refunds", .onEachDatabase)
struct RefundTests {
    @Test func `Concurrent refunds return the money only once and end the entitlement`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let id = try await shop.order("pro").transactionID
        #expect(await shop.owned() == ["pro"])
        let answers = await withTaskGroup(of: Answer.self) { group in
            for _ in 0..<10 { group.addTask { await shop.refund(id) } }
            return await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 && $0["state"] == "refunded" })
        #expect(answers.allSatisfy { $0["identity_id"]?.text == shop.id.description })
        #expect(try await shop.refunds() == 1)
        #expect(try await shop.audited(.purchaseRefunded) == 1)
        #expect(await shop.owned() == [])
        #expect(await shop.get(Route.Commerce.transactions + "/" + id).transaction?["refunded_at"] != nil)
        #expect(try await shop.order("pro", key: "again").state == "purchased")
    }

    @Test func `A transaction that wasn't charged can't be refunded`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.decline)
        let id = try await shop.order().transactionID
        let answer = await shop.refund(id)
        #expect(answer.status == 409)
        #expect(answer.errorID == .transactionNotPurchased)
        #expect(await shop.refund(Identifier().description).status == 404)
        #expect(await shop.refund("none").status == 400)
        #expect(try await shop.refunds() == 0)
    }

    @Test func `Operators can list transactions and filter them by identity and state`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        var ids: [String] = []
        for number in 0..<3 {
            ids.append(try await shop.order(key: "\(number)").transactionID)
            shop.time.advance(by: .seconds(1))
        }
        let other = try await shop.other()
        try await other.addCard(.decline)
        let failed = try await other.order().transactionID
        let path = CommerceAdminRoute.transactions
        #expect(await shop.admin.send(.get, path).ids == [failed] + ids.reversed())
        #expect(await shop.admin.send(.get, path + "?identity=\(shop.id)").ids == ids.reversed())
        #expect(await shop.admin.send(.get, path + "?state=failed").ids == [failed])
        #expect(await shop.admin.send(.get, path + "?state=failed&identity=\(shop.id)").ids == [])
        for query in ["?state=lost", "?identity=me", "?page_token=x", "?extra=1"] {
            #expect(await shop.admin.send(.get, path + query).status == 400, "\(query)")
        }
        let first = await shop.admin.send(.get, path + "?page_size=3")
        let next = try #require(first.link("next"))
        #expect(await shop.admin.send(.get, next).ids == [ids[0]])
    }
}

@Suite("A user's own transactions", .onEachDatabase)
struct OwnTransactionTests {
    @Test func `Transactions are listed in pages, oldest first, and finished ones can be left out`()
        async throws
    {
        let shop = try await Shop()
        try await shop.addCard()
        var ids: [String] = []
        for number in 0..<5 {
            ids.append(try await shop.order(key: "\(number)").transactionID)
            shop.time.advance(by: .seconds(1))
        }
        func list(_ query: String) async -> (ids: [String], next: String?) {
            let answer = await shop.get(Route.Commerce.transactions + query)
            let ids = answer["transactions"]?.elements.compactMap { $0["id"]?.text } ?? []
            return (ids, answer["next_page_token"]?.text)
        }
        #expect(await list("").ids == ids)
        let first = await list("?page_size=2")
        #expect(first.ids == Array(ids[..<2]))
        let token = try #require(first.next)
        let second = await list("?page_size=3&page_token=\(token)")
        #expect(second.ids == Array(ids[2...]))
        #expect(second.next == nil)
        for _ in 0..<2 {
            let finished = try await shop.post(Route.Commerce.completion(of: ids[1]))
            #expect(finished.status == 200)
            #expect(finished.transaction?["finished_at"] != nil)
        }
        #expect(await list("?unfinished=true").ids == [ids[0]] + ids[2...])
        #expect(await list("?unfinished=false").ids == ids)
        #expect(await shop.get(Route.Commerce.transactions + "?unfinished=maybe").status == 400)
        let other = try await shop.other()
        #expect(await other.get(Route.Commerce.transactions)["transactions"]?.elements == [])
    }

    @Test func `Finishing a transaction a second time keeps the original finish time`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let id = try await shop.order().transactionID
        let first = try await shop.post(Route.Commerce.completion(of: id))
        shop.time.advance(by: .seconds(60))
        #expect(try await shop.post(Route.Commerce.completion(of: id)).body == first.body)
    }

    @Test func `Restoring returns non-consumable products and is recorded in the audit log`() async throws {
        let shop = try await Shop { $0.limits.restoresPerAccount = [Rate(2, per: .seconds(3600))] }
        try await shop.addCard()
        _ = try await shop.order("coins.100", key: "1")
        let pro = try await shop.order("pro", key: "2").transactionID
        let vignette = try await shop.order("vignette", key: "3").transactionID
        _ = await shop.refund(vignette)
        let restored = try await shop.post(Route.Commerce.restore)
        #expect(restored.status == 200)
        #expect(restored["transactions"]?.elements.map { $0["id"]?.text } == [pro])
        #expect(restored["transactions"]?.first?["state"] == "purchased")
        #expect(try await shop.audited(.purchasesRestored) == 1)
        #expect(try await shop.post(Route.Commerce.restore).status == 200)
        #expect(try await shop.post(Route.Commerce.restore).status == 429)
    }
}
