import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyPurchases

@Suite struct `Stored unfinished purchases` {
    private static let start = Timestamp(seconds: 1_772_352_000)

    private static func order(_ key: String) -> PurchaseOrder {
        PurchaseOrder(
            key: key,
            productID: "coins",
            quantity: 2,
            price: Currency("EUR").flatMap { Money(99, $0) },
            paymentMethodID: "card",
            createdAt: start
        )
    }

    private static func transaction(
        _ id: String,
        _ state: StoreTransaction.State = .purchased,
        finishedAt: Date? = nil
    ) throws -> StoreTransaction {
        let price = try #require(Currency("EUR").flatMap { Money(99, $0) })
        return StoreTransaction(
            id: id,
            productID: "coins",
            price: price,
            countryCode: "AT",
            state: state,
            createdAt: start.date,
            finishedAt: finishedAt
        )
    }

    @Test func `An order is replaced by a transaction, which is removed once it is finished`() throws {
        var purchases = UnfinishedPurchases()

        let added = [purchases.add(Self.order("a")), purchases.add(Self.order("a"))]
        #expect(added == [true, true])
        #expect(purchases.orders.map(\.key) == ["a"])
        purchases.complete("a", with: try Self.transaction("1"))
        #expect(purchases.orders.isEmpty && purchases.transactions.map(\.id) == ["1"])
        purchases.finish("1")
        #expect(purchases.transactions.isEmpty && purchases.finished == ["1"])
        purchases.forgetFinished("1")
        #expect(try purchases.isEmpty && purchases.encoded == nil)
    }

    @Test func `An older list does not add a finished transaction again`() throws {
        var purchases = UnfinishedPurchases()
        purchases.finish("1")

        purchases.replace(with: [try Self.transaction("1"), try Self.transaction("2")], of: [])

        #expect(purchases.transactions.map(\.id) == ["2"])
    }

    @Test func `An unreadable order is removed once its outcome is known`() throws {
        let record =
            #"{"version": 1, "orders": [{"key": "a", "price": 7}], "transactions": [], "finished": []}"#
        var purchases = try UnfinishedPurchases(decoding: Array(record.utf8))
        #expect(purchases.orders.isEmpty && !purchases.isEmpty)

        purchases.complete("a", with: try Self.transaction("1", finishedAt: Self.start.date))

        #expect(purchases.isEmpty)
    }

    @Test func `Older responses do not add a transaction again that the app has finished`() throws {
        var purchases = UnfinishedPurchases()
        _ = purchases.add(Self.order("a"))
        let transaction = try Self.transaction("1")

        // The server has already confirmed that the transaction is finished.
        purchases.complete("a", with: transaction, except: ["1"])
        purchases.update([transaction], except: ["1"])
        purchases.replace(with: [transaction, try Self.transaction("2")], of: [], except: ["1"])

        #expect(purchases.orders.isEmpty && purchases.transactions.map(\.id) == ["2"])
    }

    @Test func `Transactions added after the request are kept even if the list omits them`() throws {
        var purchases = UnfinishedPurchases()
        purchases.update([try Self.transaction("1"), try Self.transaction("2"), try Self.transaction("3")])

        purchases.replace(with: [try Self.transaction("2")], of: ["1", "2"])

        #expect(purchases.transactions.map(\.id) == ["2", "3"])
    }

    @Test func `A transaction that was finished elsewhere is removed`() throws {
        var purchases = UnfinishedPurchases()
        purchases.update([try Self.transaction("1")])

        purchases.update([try Self.transaction("1", finishedAt: Self.start.date)])

        #expect(purchases.isEmpty)
    }

    @Test func `The number of stored orders is limited`() {
        var purchases = UnfinishedPurchases()

        let added = (0...UnfinishedPurchases.orderLimit).map { purchases.add(Self.order("\($0)")) }

        #expect(added == Array(repeating: true, count: UnfinishedPurchases.orderLimit) + [false])
    }

    @Test func `The largest set of unfinished purchases fits into a side record`() throws {
        var purchases = UnfinishedPurchases()
        for number in 0..<UnfinishedPurchases.orderLimit {
            let order = PurchaseOrder(
                key: Identifier().description,
                productID: String(repeating: "p", count: 128),
                quantity: number,
                price: Currency("EUR").flatMap { Money(Money.greatestAmount, $0) },
                paymentMethodID: Identifier().description,
                createdAt: Self.start
            )
            let isAdded = purchases.add(order)
            #expect(isAdded)
        }
        for _ in 0..<UnfinishedPurchases.transactionLimit + 5 {
            var transaction = try Self.transaction(Identifier().description, .failed)
            transaction.productID = String(repeating: "p", count: 128)
            transaction.failure = .confirmationDenied
            transaction.purchasedAt = Self.start.date
            purchases.update([transaction])
            purchases.finish(Identifier().description)
        }

        let bytes = try #require(try purchases.encoded)
        #expect(bytes.count <= 32_768)
        #expect(try UnfinishedPurchases(decoding: bytes) == purchases)
    }

    @Test func `Reading a record returns what was written`() throws {
        var purchases = UnfinishedPurchases()
        _ = purchases.add(Self.order("a"))
        purchases.update([try Self.transaction("1"), try Self.transaction("2", .deferred)])
        purchases.finish("0")

        #expect(try UnfinishedPurchases(decoding: try #require(try purchases.encoded)) == purchases)
    }

    /// A record with a transaction and a finished identifier that only a newer version can read.
    private static let newer = Array(
        #"""
        {"version": 1, "orders": [], "transactions": [{"id": "1", "state": "on_hold"}],
         "finished": ["0", {"id": "9"}]}
        """#.utf8
    )

    @Test func `What this version can't read is kept for a newer one`() throws {
        var purchases = try UnfinishedPurchases(decoding: Self.newer)
        #expect(purchases.transactions.isEmpty && purchases.finished == ["0"])
        #expect(purchases.transactionIDs == ["1"])

        purchases.update([try Self.transaction("2")])
        purchases.forgetFinished("0")

        let stored = try JSONCoding.decode(JSONValue.self, from: try #require(try purchases.encoded))
        #expect(stored["transactions"]?.array?.map { $0["id"]?.text } == ["2", "1"])
        #expect(stored["finished"]?.array == [["id": "9"]])
    }

    /// The ways in which the transaction `1` ends, which this version can't read in the record.
    private static let ends: [(name: String, apply: @Sendable (inout UnfinishedPurchases) throws -> Void)] = [
        ("the app finishes it", { $0.finish("1") }),
        ("the server lists it as finished", { $0.update([try transaction("1", finishedAt: start.date)]) }),
        ("the server's list omits it", { $0.replace(with: [], of: $0.transactionIDs) }),
    ]

    @Test(arguments: ends.indices)
    func `A transaction that can't be read is removed once it is finished`(_ index: Int) throws {
        let end = Self.ends[index]
        var purchases = try UnfinishedPurchases(decoding: Self.newer)

        try end.apply(&purchases)

        #expect(purchases.transactionIDs.isEmpty, "\(end.name)")
    }

    @Test func `A transaction that becomes readable replaces the stored one`() throws {
        var purchases = try UnfinishedPurchases(decoding: Self.newer)

        purchases.update([try Self.transaction("1")])

        let stored = try JSONCoding.decode(JSONValue.self, from: try #require(try purchases.encoded))
        #expect(stored["transactions"]?.array?.map { $0["id"]?.text } == ["1"])
        #expect(purchases.transactions.map(\.id) == ["1"])
    }

    @Test(arguments: [
        ("{", UnfinishedPurchases.DecodingFailure.damaged), ("{}", .damaged), ("[]", .damaged),
        (#"{"version": 2}"#, .newer),
    ])
    func `Damaged records are distinguished from records of newer versions`(
        _ text: String,
        _ failure: UnfinishedPurchases.DecodingFailure
    ) {
        #expect(throws: failure) { try UnfinishedPurchases(decoding: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("EUR", 499, "4.99"), ("EUR", 5, "0.05"), ("JPY", 120, "120"), ("KWD", 1234, "1.234"),
        ("USD", 0, "0"),
    ])
    func `An amount in minor units becomes a decimal number`(_ code: String, _ amount: Int64, _ text: String)
        throws
    {
        let money = try #require(Currency(code).flatMap { Money(amount, $0) })
        #expect("\(money.decimal)" == text)
    }
}
