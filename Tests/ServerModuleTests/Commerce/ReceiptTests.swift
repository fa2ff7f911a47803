import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Receipts and notices about payments", .onEachDatabase)
struct ReceiptTests {
    @Test func `The owner is notified of a new card and gets a receipt for each purchase`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        #expect(try await shop.server.recipients(of: .paymentMethodAdded) == [Shop.phone])
        let order = try await shop.order()
        _ = try await shop.order()
        #expect(try await shop.server.recipients(of: .receipt) == [Shop.phone])
        await shop.server.messagesAreSent()
        let receipt = try #require(
            shop.server.inbox.messages(for: Shop.phone).last { $0.template == "purchase_receipt" }
        )
        let text = receipt.body.exposed
        #expect(text.contains("100 coins") && text.contains("4.99 EUR"), "\(text) \(order.body)")
    }

    @Test func `A purchase that is completed in the background has a receipt`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.timeout)
        #expect(try await shop.order("level-pack").state == "purchasing")
        #expect(try await shop.server.recipients(of: .receipt) == [])
        try await shop.recover(after: .seconds(120))
        #expect(try await shop.server.recipients(of: .receipt) == [Shop.phone])
    }

    @Test func `A purchase that wasn't charged has no receipt`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.decline)
        _ = try await shop.order()
        #expect(try await shop.server.recipients(of: .receipt) == [])
    }

    @Test func `Receipts go to the proven mail address only, and text messages are limited`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        for key in 1...4 { _ = try await shop.order(key: "\(key)") }
        // Three text messages a day, one of which was the notice about the card.
        #expect(try await shop.server.recipients(of: .receipt).count == 2)
        #expect(try await shop.audited(.noticeWithheld) == 2)
        try await shop.addMail(age: .seconds(86_400))
        _ = try await shop.order(key: "5")
        #expect(try await shop.server.recipients(of: .receipt) == [Shop.phone, Shop.phone, Shop.mail])
    }

    @Test func `A mail address that was added today doesn't divert the receipts`() async throws {
        let shop = try await Shop.old()
        try await shop.addMail(age: .seconds(86_399))
        _ = try await shop.order("level-pack")
        #expect(try await shop.server.recipients(of: .receipt).sorted() == [Shop.phone, Shop.mail])
    }

    @Test func `The operator can switch receipts and notices off`() async throws {
        let shop = try await Shop { $0.notices.isEnabled = false }
        try await shop.addCard()
        #expect(try await shop.order().status == 201)
        #expect(try await shop.server.recipients(of: .receipt) == [])
        #expect(try await shop.server.recipients(of: .paymentMethodAdded) == [])
    }
}
