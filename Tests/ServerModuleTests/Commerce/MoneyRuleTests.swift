import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

/// The rules of `commerce.md` about who can spend an account's money.
@Suite("Spending money", .onEachDatabase)
struct MoneyRuleTests {
    /// Registers a person whose addresses aren't confirmed.
    private func unconfirmed(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws -> Shop {
        try await Shop(registering: "person", change) { server in
            let answer = try await server.register()
            let id = answer["identity"]?["id"]?.text.flatMap { Identifier($0) }
            return (try #require(id), try #require(answer.sessionToken))
        }
    }

    private func expectDuty(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 403, sourceLocation: sourceLocation)
        #expect(answer.errorID == .dutyRequired, sourceLocation: sourceLocation)
        #expect(answer["error"]?["duty"] == "verify_address", sourceLocation: sourceLocation)
    }

    @Test func `An account that isn't confirmed can neither add a card nor order`() async throws {
        let shop = try await unconfirmed()
        expectDuty(try await shop.addCard())
        expectDuty(try await shop.order())
        #expect(try await shop.count("SELECT COUNT(*) FROM payment_methods") == 0)
        #expect(try await shop.count("SELECT COUNT(*) FROM purchases") == 0)
        #expect(try await shop.charges() == 0)
        // Reading and removing doesn't spend anything.
        #expect(await shop.get(Route.Commerce.paymentMethods).status == 200)
    }

    @Test func `The payment provider isn't asked about the cards of an account that isn't confirmed`()
        async throws
    {
        // The sandbox would reject this number with another error.
        let number = JSONValue.object(["kind": "sandbox_card", "number": "4111111111111111"])
        expectDuty(try await unconfirmed().post(Route.Commerce.paymentMethods, number))
    }

    @Test func `Attempts to add a card to an account that isn't confirmed are counted`() async throws {
        let shop = try await unconfirmed {
            $0.limits.paymentMethodsPerAccount = [Rate(2, per: .seconds(3600))]
        }
        for _ in 0..<2 { expectDuty(try await shop.addCard()) }
        #expect(try await shop.addCard().status == 429)
    }

    @Test func `After the account is confirmed, the same order succeeds with the same key`() async throws {
        let shop = try await unconfirmed()
        expectDuty(try await shop.order())
        try await shop.server.confirmAll()
        try await shop.addCard()
        #expect(try await shop.order().status == 201)
        #expect(try await shop.charges() == 1)
    }

    @Test func `An account that isn't confirmed can deny a payment but not approve it`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.confirmation)
        let (first, second) = (
            try await shop.order(key: "1").transactionID, try await shop.order(key: "2").transactionID
        )
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET confirmed_at = NULL")
        }
        expectDuty(try await shop.confirm(first, approve: true))
        #expect(try await shop.confirm(second, approve: false).state == "failed")
        #expect(try await shop.charges() == 0)
    }

    @Test(arguments: ["nb-NO", "de-AT", "en-US"])
    func `The price of an order doesn't depend on the languages of the request`(language: String) async throws
    {
        let shop = try await Shop(phone: "+46700000001")
        try await shop.addCard()
        let order = try await shop.order(headers: ["Accept-Language": language])
        #expect(order.transaction?["price"] == .object(["amount": 500, "currency": "USD"]))
        #expect(order.transaction?["country_code"] == "US")
    }
}
