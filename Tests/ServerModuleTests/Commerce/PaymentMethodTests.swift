import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Payment methods", .onEachDatabase)
struct PaymentMethodTests {
    private let path = Route.Commerce.paymentMethods

    private func list(_ shop: Shop) async -> [JSONValue] {
        await shop.get(path)["payment_methods"]?.elements ?? []
    }

    private func remove(_ id: String?, of shop: Shop) async -> Answer {
        await shop.server.delete("\(path)/\(id ?? "none")", token: shop.token)
    }

    private func choose(_ id: String?, of shop: Shop, _ isDefault: Bool = true) async throws -> Answer {
        var request = HTTP.Request(.patch, "/a\(path)/\(id ?? "none")")
        request.headers["X-Session-Token"] = shop.token
        request.headers["Content-Type"] = "application/json"
        request.body = Array("{\"is_default\": \(isDefault)}".utf8)
        return await shop.server.send(request)
    }

    @Test func `Listed payment methods don't include card numbers or tokens`() async throws {
        let shop = try await Shop()
        #expect(await list(shop) == [])
        let added = try await shop.addCard()
        #expect(added.status == 201)
        #expect(added["last_four"] == "4242")
        #expect(added["brand"] == "sandbox")
        #expect(added["is_default"] == .bool(true))
        #expect(await list(shop) == [added.body])
        let text = String(decoding: await shop.get(path).response.body, as: UTF8.self)
        #expect(!text.contains("4242424242424242") && !text.contains("sandbox_success"))
        #expect(try await shop.audited(.paymentMethodAdded) == 1)
    }

    @Test func `Only a random token and the last four digits of a card are stored`() async throws {
        let shop = try await Shop()
        try await shop.addCard(.success)
        try await shop.addCard(.success)
        let rows = try await shop.database.rows("SELECT token, last_four FROM payment_methods")
        let tokens = try rows.map { try $0.text(0) }
        #expect(Set(tokens).count == 2)
        #expect(tokens.allSatisfy { !$0.contains("4242") && $0.hasPrefix("sandbox_success_") })
        #expect(try rows.allSatisfy { try $0.text(1) == "4242" })
    }

    @Test(arguments: [
        "4242 4242-4242.4242\n", "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢", "４２４２４２４２４２４２４２４２",
        "4242\u{A0}4242\u{2013}42424242\u{200B}",
    ])
    func `A sandbox number is accepted with separators and in the digits of any script`(number: String)
        async throws
    {
        let shop = try await Shop()
        let answer = try await shop.post(path, .object(["kind": "sandbox_card", "number": .string(number)]))
        #expect(answer.status == 201)
        #expect(answer["last_four"] == "4242")
    }

    @Test(arguments: [
        "4111111111111111", "5555555555554444", "378282246310005", "", "4242", "+4242424242424242",
        "424242424242424²",
    ])
    func `Cards that don't have a sandbox number are rejected`(number: String) async throws {
        let shop = try await Shop()
        let answer = try await shop.post(path, .object(["kind": "sandbox_card", "number": .string(number)]))
        #expect(answer.status == 400)
        #expect(answer.errorID == .cardNotAccepted)
        #expect(number.isEmpty || !String(decoding: answer.response.body, as: UTF8.self).contains(number))
        #expect(await list(shop) == [])
    }

    @Test func `When the default payment method is removed, the newest one becomes the default`() async throws
    {
        let shop = try await Shop()
        let first = try await shop.addCard()["id"]?.text
        shop.time.advance(by: .seconds(1))
        let second = try await shop.addCard()["id"]?.text
        shop.time.advance(by: .seconds(1))
        let third = try await shop.addCard(.decline, isDefault: true)["id"]?.text
        func defaults() async -> [String?] {
            await list(shop).filter { $0["is_default"] == .bool(true) }.map { $0["id"]?.text }
        }
        #expect(await defaults() == [third])
        let chosen = try await choose(first, of: shop)
        #expect(chosen.status == 200)
        #expect(chosen["is_default"] == .bool(true))
        #expect(await defaults() == [first])
        #expect(try await choose(first, of: shop, false).status == 400)
        #expect(await remove(first, of: shop).status == 204)
        #expect(await remove(first, of: shop).status == 204)
        #expect(await defaults() == [third])
        #expect(await remove(second, of: shop).status == 204)
        #expect(await remove(third, of: shop).status == 204)
        #expect(await list(shop) == [])
        #expect(try await shop.audited(.paymentMethodRemoved) == 3)
    }

    @Test func `Payment methods of other accounts can't be found or removed`() async throws {
        let shop = try await Shop()
        let other = try await shop.other()
        let id = try await shop.addCard()["id"]?.text
        #expect(try await choose(id, of: other).status == 404)
        #expect(await remove(id, of: other).status == 204)
        #expect(await list(shop).count == 1)
        #expect(await list(other) == [])
        #expect(try await other.audited(.paymentMethodRemoved) == 0)
        try await other.addCard()
        let order = try await other.order("coins.100", ["payment_method_id": .string(id ?? "")])
        #expect(order.status == 409)
        #expect(order.errorID == .paymentMethodRequired)
    }

    @Test func `Choosing an unknown payment method doesn't change the default`() async throws {
        let shop = try await Shop()
        let added = try await shop.addCard()
        #expect(try await choose(Identifier().description, of: shop).status == 404)
        #expect(added["is_default"] == .bool(true))
        #expect(await list(shop) == [added.body])
    }

    @Test func `An account can have at most ten payment methods`() async throws {
        let shop = try await Shop()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<12 { group.addTask { try await shop.addCard().status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 201 } == 10)
        #expect(statuses.count { $0 == 409 } == 2)
        #expect(try await shop.addCard().errorID == .tooManyPaymentMethods)
        #expect(await list(shop).count == 10)
        #expect(await list(shop).count { $0["is_default"] == .bool(true) } == 1)
    }

    @Test func `Rejected attempts to add a payment method count against the limits per account and network`()
        async throws
    {
        let shop = try await Shop { configuration in
            configuration.limits.paymentMethodsPerAccount = [Rate(2, per: .seconds(3600))]
            configuration.limits.paymentMethodsPerAddress = [Rate(3, per: .seconds(3600))]
        }
        let other = try await shop.other()
        let wrong = JSONValue.object(["kind": "sandbox_card", "number": "1"])
        #expect(try await shop.post(path, wrong).status == 400)
        #expect(try await shop.addCard().status == 201)
        #expect(try await shop.addCard().status == 429)
        #expect(try await other.addCard().status == 201)
        #expect(try await other.addCard().status == 429)
    }

    @Test(arguments: [
        "{}", #"{"kind": "sandbox_card"}"#, #"{"kind": "bank", "number": "4242424242424242"}"#, "[]",
    ])
    func `Malformed requests are rejected`(body: String) async throws {
        let shop = try await Shop()
        let value = try JSONCoding.decode(JSONValue.self, from: Array(body.utf8))
        #expect(try await shop.post(path, value).status == 400)
    }
}
