import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Orders", .onEachDatabase)
struct OrderTests {
    @Test func `An order charges the default payment method once`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let answer = try await shop.order("coins.100", ["quantity": 3])
        #expect(answer.status == 201, "\(answer.body)")
        #expect(answer.state == "purchased")
        #expect(answer.transaction?["quantity"] == 3)
        #expect(answer.transaction?["price"] == .object(["amount": 499, "currency": "EUR"]))
        #expect(answer.transaction?["country_code"] == "AT")
        #expect(answer.transaction?["purchased_at"] != nil)
        #expect(answer.transaction?["finished_at"] == nil)
        #expect(try await shop.charges() == 1)
        #expect(try await shop.count("SELECT amount FROM sandbox_payments") == 3 * 499)
        #expect(try await shop.audited(.purchased) == 1)
        let read = await shop.get(Route.Commerce.transactions + "/" + answer.transactionID)
        #expect(read.body == answer.body)
    }

    @Test func `Repeating an order returns the same transaction in its current state`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let first = try await shop.order()
        let second = try await shop.order()
        #expect(second.status == 200)
        #expect(second.body == first.body)
        #expect(await shop.refund(first.transactionID).status == 200)
        #expect(try await shop.order().state == "refunded")
        #expect(try await shop.charges() == 1)
        #expect(try await shop.audited(.purchased) == 1)
    }

    @Test func `Reusing an idempotency key for a different order is rejected`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        #expect(try await shop.order().status == 201)
        for answer in [
            try await shop.order("coins.100", ["quantity": 2]), try await shop.order("level-pack"),
            try await shop.order("coins.100", ["price": .object(["amount": 499, "currency": "EUR"])]),
        ] {
            #expect(answer.status == 409)
            #expect(answer.errorID == .idempotencyKeyReused)
        }
        #expect(try await shop.charges() == 1)
    }

    @Test func `The same idempotency key can be used by different accounts`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let other = try await shop.other()
        try await other.addCard()
        let (first, second) = (try await shop.order(), try await other.order())
        #expect((first.status, second.status) == (201, 201))
        #expect(first.transactionID != second.transactionID)
        #expect(second.transaction?["price"] == .object(["amount": 1200, "currency": "NOK"]))
        #expect(try await shop.charges() == 2)
    }

    @Test func `Submitting an order many times concurrently charges once and returns the same transaction`()
        async throws
    {
        let shop = try await Shop { $0.limits.ordersPerAccount = [] }
        try await shop.addCard()
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<100 { group.addTask { try await shop.order() } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 201 } == 1)
        #expect(answers.count { $0.status == 200 } == 99)
        #expect(Set(answers.map(\.transactionID)).count == 1)
        #expect(answers.allSatisfy { $0.state == "purchased" })
        #expect(try await shop.charges() == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM purchases") == 1)
        #expect(try await shop.audited(.purchased) == 1)
    }

    @Test func `Concurrent orders with different keys buy a non-consumable product only once`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<20 { group.addTask { try await shop.order("pro", key: "key-\(number)") } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 201 } == 1)
        #expect(answers.filter { $0.status != 201 }.allSatisfy { $0.status == 409 })
        #expect(try await shop.order("pro", key: "later").errorID == .alreadyPurchased)
        #expect(try await shop.charges() == 1)
        #expect(await shop.owned() == ["pro"])
    }

    @Test func `Orders are rejected without a payment method or an idempotency key`() async throws {
        let shop = try await Shop()
        let answer = try await shop.order()
        #expect(answer.status == 409)
        #expect(answer.errorID == .paymentMethodRequired)
        try await shop.addCard()
        #expect(try await shop.order(key: nil).status == 400)
        #expect(try await shop.order(key: "two words").status == 400)
        #expect(try await shop.count("SELECT COUNT(*) FROM purchases") == 0)
    }

    @Test(
        arguments: [
            ("unknown", [:], 404), ("coins.100", ["quantity": 0], 400), ("coins.100", ["quantity": -3], 400),
            ("coins.100", ["quantity": 11], 400), ("pro", ["quantity": 2], 400),
            ("coins.100", ["price": ["amount": 498, "currency": "EUR"]], 409),
            ("coins.100", ["price": ["amount": 499, "currency": "NOK"]], 409),
            ("coins.100", ["price": ["amount": -499, "currency": "EUR"]], 400),
            ("coins.100", ["price": ["amount": 4.99, "currency": "EUR"]], 400),
            ("coins.100", ["quantity": "1"], 400),
        ] as [(String, [String: JSONValue], Int)]
    )
    func `Orders that don't match the catalog are rejected without charging`(
        product: String,
        members: [String: JSONValue],
        status: Int
    ) async throws {
        let shop = try await Shop()
        try await shop.addCard()
        #expect(try await shop.order(product, members).status == status)
        #expect(try await shop.charges() == 0)
        #expect(try await shop.count("SELECT COUNT(*) FROM purchases") == 0)
    }

    @Test func `Prices depend on the account's region and not on the client's languages`()
        async throws
    {
        let shop = try await Shop()
        try await shop.addCard()
        // The operator changes the region after the app has displayed the price.
        let patch = #"[{"op": "replace", "path": "/traits/region", "value": "NO"}]"#
        let answer = await shop.admin.send(
            .patch,
            "/admin/identities/\(shop.id)",
            patch,
            headers: ["Content-Type": "application/json"]
        )
        #expect(answer.status == 200)
        let stale = try await shop.order(
            "coins.100",
            ["price": ["amount": 499, "currency": "EUR"]],
            headers: ["Accept-Language": "de-AT"]
        )
        #expect(stale.errorID == .priceChanged)
        #expect(try await shop.order("vignette", key: "v").errorID == .productUnavailable)
        let order = try await shop.order("coins.100", key: "n", headers: ["Accept-Language": "de-AT"])
        #expect(order.transaction?["price"] == .object(["amount": 1200, "currency": "NOK"]))
    }

    @Test func `An order with a declined card fails and the product can be ordered again`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.decline)
        let declined = try await shop.order("pro")
        #expect(declined.status == 201)
        #expect(declined.state == "failed")
        #expect(declined.transaction?["failure"] == "declined")
        let good = try await shop.addCard(isDefault: true)["id"]?.text
        #expect(try await shop.order("pro").state == "failed")
        #expect(try await shop.order("pro", key: "second").transaction?["state"] == "purchased")
        #expect(good != nil)
        #expect(try await shop.charges() == 1)
        #expect(try await shop.audited(.purchaseFailed) == 1)
    }

    @Test func `The number of orders per account is limited, but repeated orders don't count`() async throws {
        let shop = try await Shop { $0.limits.ordersPerAccount = [Rate(2, per: .seconds(3600))] }
        #expect(try await shop.order(key: "1").errorID == .paymentMethodRequired)
        try await shop.addCard()
        #expect(try await shop.order(key: "2").status == 201)
        let refused = try await shop.order(key: "3")
        #expect(refused.status == 429)
        #expect(refused.response.headers["Retry-After"] != nil)
        for _ in 0..<5 { #expect(try await shop.order(key: "2").status == 200) }
        let other = try await shop.other()
        try await other.addCard()
        #expect(try await other.order().status == 201)
    }

    @Test func `Orders are rejected after the session has ended`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        #expect(try await shop.server.logOut(shop.token).status == 204)
        let answer = try await shop.order()
        #expect(answer.status == 401)
        #expect(answer.errorID == .sessionInactive)
    }

    @Test func `An order that races with a logout is either charged or rejected`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        async let ended = shop.server.logOut(shop.token)
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<10 { group.addTask { try await shop.order(key: "k\(number)") } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(try await ended.status == 204)
        #expect(answers.allSatisfy { $0.status == 201 || $0.status == 401 })
        #expect(try await shop.charges() == Int64(answers.count { $0.status == 201 }))
        #expect(try await shop.order(key: "after").status == 401)
    }

    @Test func `Orders are reported to all devices that follow the account's events`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let followed = try await shop.server.follow(shop.token)

        #expect(try await shop.order().status == 201)

        // An order is stored before and after its charge, so that two changes can be noticed.
        await wait(until: "the order is reported") { followed.types.count > 1 }
        #expect(followed.types.first == "state")
        #expect(followed.types.dropFirst().allSatisfy { $0 == "transactions_changed" })
    }

    @Test func `No payment method is added if the session ends during the request`() async throws {
        let shop = try await Shop()
        let node = RacingServer(shop.server, at: .transaction(1)) {
            let answer = try await shop.server.logOut(shop.token)
            #expect(answer.status == 204)
        }

        let answer = try await node.send(
            .post,
            Route.Commerce.paymentMethods,
            .object(["kind": "sandbox_card", "number": "4242424242424242"]),
            token: shop.token
        )

        #expect(answer.status == 401)
        #expect(answer.errorID == .sessionInactive)
        #expect(try await shop.database.rows("SELECT id FROM payment_methods").isEmpty)
    }

    @Test func `All routes require a session`() async throws {
        let shop = try await Shop()
        let id = Identifier().description
        for path in [
            Route.Commerce.paymentMethods, Route.Commerce.transactions,
            Route.Commerce.transactions + "/" + id,
            Route.Commerce.entitlements, Route.Commerce.history + "?app=a",
        ] {
            #expect(await shop.server.get(path).errorID == .sessionInactive, "\(path)")
        }
        for path in [
            Route.Commerce.orders, Route.Commerce.restore, Route.Commerce.paymentMethods,
            Route.Commerce.completion(of: id), Route.Commerce.confirmation(of: id),
        ] {
            #expect(try await shop.server.post(path, .object([:])).errorID == .sessionInactive, "\(path)")
        }
    }
}
