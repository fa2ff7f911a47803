import LatchkeyWire
import Testing

@testable import LatchkeyPurchases

@Suite struct `Responses of newer servers` {
    private static func product(_ members: String) -> String {
        #"{"title": "A", "description": "", \#(members)}"#
    }

    private static func transaction(_ members: String) -> String {
        #"""
        {"product_id": "a", "quantity": 1, "country_code": "AT", "created_at": "2026-01-02T03:04:05Z",
         "updated_at": "2026-01-02T03:04:05Z", \#(members)}
        """#
    }

    private static let euros = #""price": {"amount": 1, "currency": "EUR"}"#
    private static let unknownCurrency = #""price": {"amount": 1, "currency": "euro"}"#

    private func products(_ list: [String]) throws -> ReadableList<StoreProduct> {
        let listed = try JSONCoding.decode(
            [Listed<ProductsBody.Product>].self,
            from: Array("[\(list.joined(separator: ", "))]".utf8)
        )
        return try ReadableList(of: listed) { StoreProduct($0) }
    }

    private func transactions(_ list: [String]) throws -> ReadableList<StoreTransaction> {
        let page = try JSONCoding.decode(
            TransactionsBody.self,
            from: Array(#"{"transactions": [\#(list.joined(separator: ", "))], "more": 1}"#.utf8)
        )
        return try ReadableList(of: page.transactions) { StoreTransaction($0) }
    }

    @Test func `Products of an unknown kind can be read, and others are listed by their identifiers`() throws
    {
        let list = try products([
            Self.product(#""id": "1", "kind": "rental", \#(Self.euros)"#),
            Self.product(#""id": "2", "kind": "consumable", \#(Self.unknownCurrency)"#),
            Self.product(#""id": "3", "kind": "consumable", "price": null"#),
            #"{"id": "4"}"#,
        ])

        #expect(list.elements.map(\.kind.rawValue) == ["rental"])
        #expect(list.unreadableIDs == ["2", "3", "4"])
    }

    @Test func `Transactions with an unknown state or failure can be read`() throws {
        let list = try transactions([
            Self.transaction(#""id": "1", "state": "on_hold", \#(Self.euros)"#),
            Self.transaction(#""id": "2", "state": "failed", "failure": "stolen", \#(Self.euros)"#),
        ])

        #expect(list.elements.map(\.state.rawValue) == ["on_hold", "failed"])
        #expect(list.elements.map(\.failure?.rawValue) == [nil, "stolen"])
    }

    @Test func `Transactions that can't be read are listed by their identifiers`() throws {
        let list = try transactions([
            Self.transaction(#""id": "1", "state": "purchased", \#(Self.unknownCurrency)"#),
            Self.transaction(#""id": "2", "state": "purchased", "finished_at": "later", \#(Self.euros)"#),
            Self.transaction(#""id": "3", "state": {"name": "purchased"}, \#(Self.euros)"#),
            Self.transaction(#""id": "4", "state": "purchased", "finished_at": null, \#(Self.euros)"#),
        ])

        #expect(list.elements.map(\.id) == ["4"])
        #expect(list.unreadableIDs == ["1", "2", "3"])
    }

    @Test func `A list with an element without an identifier is rejected`() {
        #expect(throws: (any Error).self) { try transactions([#"{"state": "purchased"}"#]) }
    }

    @Test func `A payment method of an unknown kind can be read`() throws {
        let json = #"""
            {"id": "1", "kind": "wallet", "brand": "a", "last_four": "4242", "is_default": true, "created_at": "later"}
            """#

        let method = PaymentMethod(try JSONCoding.decode(PaymentMethodBody.self, from: Array(json.utf8)))

        #expect(method.kind == "wallet" && method.createdAt == nil)
    }
}
