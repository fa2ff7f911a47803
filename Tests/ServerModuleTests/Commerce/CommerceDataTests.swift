import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Purchases of an account that is deleted or reclaimed", .onEachDatabase)
struct CommerceDataTests {
    private func rows(_ shop: Shop) async throws -> [Int64] {
        [
            try await shop.count("SELECT COUNT(*) FROM payment_methods"),
            try await shop.count("SELECT COUNT(*) FROM purchases"),
            try await shop.count("SELECT COUNT(*) FROM sandbox_payments"),
        ]
    }

    @Test func `Deleting an account erases its purchases but keeps anonymous payments`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        _ = try await shop.order()
        let other = try await shop.other()
        try await other.addCard()
        _ = try await other.order()
        #expect(try await rows(shop) == [2, 2, 2])
        #expect(await shop.admin.send(.delete, "/admin/identities/\(shop.id)").status == 204)
        #expect(try await rows(shop) == [1, 1, 2])
        #expect(await other.get(Route.Commerce.transactions)["transactions"]?.elements.count == 1)
    }

    @Test func `The account export contains purchases but no payment tokens`() async throws {
        let shop = try await Shop()
        let before = await shop.get("/account/export")
        #expect(before["payment_methods"] == nil && before["transactions"] == nil)
        try await shop.addCard()
        let id = try await shop.order().transactionID
        let answer = await shop.get("/account/export")
        let body = try JSONCoding.decode(AccountExportBody.self, from: answer.response.body)
        #expect(body.transactions?.map(\.id) == [id])
        #expect(body.transactions?.first?.state == OpenEnum(.purchased))
        #expect(body.paymentMethods?.map(\.lastFour) == ["4242"])
        let text = String(decoding: answer.response.body, as: UTF8.self)
        #expect(!text.contains("sandbox_success") && !text.contains("order-1"))
    }

    /// Takes over the account on behalf of a user who owns an address that was never verified.
    ///
    /// - Returns: The new owner's session token.
    @discardableResult
    private func reclaim(_ shop: Shop) async throws -> String {
        try await shop.database.transaction { transaction in
            try transaction.execute("UPDATE identities SET confirmed_at = NULL")
            try transaction.execute("DELETE FROM address_states")
        }
        let token = try #require(try await shop.server.enter(.login, with: Shop.phone).sessionToken)
        try #require(try await shop.server.identity(shop.id).reclaimedAt != nil)
        return token
    }

    @Test func `Reclaiming an account deletes its payment methods and cancels deferred purchases`()
        async throws
    {
        let shop = try await Shop()
        try await shop.addCard(.confirmation)
        let deferred = try await shop.order(key: "1").transactionID
        try await shop.addCard(.success, isDefault: true)
        let bought = try await shop.order(key: "2").transactionID
        try await reclaim(shop)
        #expect(try await shop.count("SELECT COUNT(*) FROM payment_methods") == 0)
        let states = try await shop.database.rows("SELECT id, state, failure FROM purchases ORDER BY state")
        #expect(try states.map { try $0.identifier(0).description } == [deferred, bought])
        #expect(try states.map { try $0.text(1) } == ["failed", "purchased"])
        #expect(try states[0].text(2) == "cancelled")
        #expect(await shop.get(Route.Commerce.paymentMethods).status == 401)
    }

    /// Returns the shop as the new owner of a reclaimed account sees it, and a purchase by the previous user.
    private func reclaimed() async throws -> (Shop, transaction: String) {
        let shop = try await Shop()
        try await shop.addCard()
        let transaction = try await shop.order("pro").transactionID
        let token = try await reclaim(shop)
        return (shop.with(token: token), transaction)
    }

    @Test func `Purchases are hidden from a new owner who reclaims the account`() async throws {
        let (shop, transaction) = try await reclaimed()
        for path in [Route.Commerce.transactions, Route.Commerce.transactions + "?unfinished=true"] {
            #expect(await shop.get(path)["transactions"]?.elements == [])
        }
        #expect(await shop.get(Route.Commerce.transactions + "/" + transaction).status == 404)
        #expect(try await shop.post(Route.Commerce.completion(of: transaction)).status == 404)
        #expect(try await shop.confirm(transaction, approve: true).status == 404)
        #expect(await shop.owned() == [])
        #expect(try await shop.post(Route.Commerce.restore)["transactions"]?.elements == [])
        #expect(await shop.get("/account/export")["transactions"] == nil)
        let history = await shop.get(Route.Commerce.history + "?app=com.example.arcade")["history"]
        let jws = try #require(history?.text.flatMap { CompactJWS($0) })
        let claims: HistoryClaims = try JSONCoding.decode(from: jws.payload)
        #expect(claims.purchases.isEmpty)
    }

    @Test func `A new owner can place the same orders as the previous user`() async throws {
        let (shop, transaction) = try await reclaimed()
        try await shop.addCard()
        let order = try await shop.order("pro")
        #expect(order.status == 201)
        #expect(order.transactionID != transaction)
        #expect(try await shop.charges() == 2)
    }

    @Test func `Operators can see and refund the purchases of a reclaimed account`() async throws {
        let (shop, transaction) = try await reclaimed()
        let path = CommerceAdminRoute.transactions + "?identity=\(shop.id)"
        let row = try #require(await shop.admin.send(.get, path).entries.first)
        #expect(row["id"]?.text == transaction)
        let reclaimedAt = try await shop.server.identity(shop.id).reclaimedAt
        #expect(row["detached_at"]?.text == reclaimedAt?.description)
        #expect(await shop.refund(transaction)["state"] == "refunded")
        #expect(await shop.get(Route.Commerce.transactions)["transactions"]?.elements == [])
    }

    @Test(arguments: [false, true])
    func `A purchase that is still being charged gets the provider's result`(isCharged: Bool) async throws {
        let shop = try await Shop()
        try await shop.addCard()
        _ = try await shop.order()
        let due = shop.time.now
        try await shop.database.transaction { transaction in
            try transaction.execute(
                """
                UPDATE purchases SET state = 'purchasing', purchased_at = NULL, due_at = $1, \
                payment_token = (SELECT token FROM payment_methods)
                """,
                .time(due)
            )
            if !isCharged { try transaction.execute("DELETE FROM sandbox_payments") }
        }
        try await reclaim(shop)
        try await shop.recover()
        let row = try #require(try await shop.database.rows("SELECT state, failure FROM purchases").first)
        #expect(try row.text(0) == (isCharged ? "purchased" : "failed"))
        #expect(try row.optional(1, as: Row.text) == (isCharged ? nil : "cancelled"))
        #expect(try await shop.charges() == (isCharged ? 1 : 0))
    }

    @Test func `The payment token is deleted once the purchase has been completed`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        _ = try await shop.order()
        #expect(try await shop.count("SELECT COUNT(*) FROM purchases WHERE payment_token IS NOT NULL") == 0)
    }
}
