import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Purchase history", .onEachDatabase)
struct PurchaseHistoryTests {
    private let path = Route.Commerce.history + "?app=com.example.arcade"

    private func claims(_ answer: Answer) throws -> (
        header: OrderedJSON, claims: HistoryClaims, jws: CompactJWS
    ) {
        let jws = try #require(answer["history"]?.text.flatMap { CompactJWS($0) }, "\(answer.body)")
        return (try JSONParser.parse(jws.header), try JSONCoding.decode(from: jws.payload), jws)
    }

    @Test func `The history contains all charges and is signed with a published key`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        let first = try await shop.order("pro", key: "1").transactionID
        shop.time.advance(by: .seconds(1))
        let second = try await shop.order("coins.100", key: "2", ["quantity": 2]).transactionID
        try await shop.addCard(.decline, isDefault: true)
        _ = try await shop.order("coins.100", key: "3")
        _ = await shop.refund(first)
        let (header, claims, jws) = try claims(await shop.get(path))
        #expect(header["typ"] == .string("purchases+jwt"))
        #expect(header["alg"] == .string("ES256"))
        guard case .string(let kid)? = header["kid"] else {
            Issue.record("The header has no kid.")
            return
        }
        let key = try #require(
            try await shop.server.assembly.tokens.keys.verifying(kid, at: shop.time.now)
        )
        #expect(jws.isSigned(by: key))
        #expect(claims.iss == SelfServiceServer.url)
        #expect(claims.sub == shop.id.description)
        #expect(claims.aud == "com.example.arcade")
        #expect(claims.iat == shop.time.now.seconds)
        #expect(claims.exp == shop.time.now.seconds + 3600)
        #expect(claims.purchases.map(\.transactionID) == [first, second])
        #expect(claims.purchases.map(\.state) == [.refunded, .purchased])
        #expect(claims.purchases.map(\.quantity) == [1, 2])
        #expect(claims.purchases[0].refundedAt != nil && claims.purchases[1].refundedAt == nil)
        #expect(claims.purchases[1].price == MoneyBody(amount: 499, currency: "EUR"))
        #expect(claims.purchases[1].countryCode == "AT")
    }

    @Test func `The history only contains the account's own purchases`() async throws {
        let shop = try await Shop()
        try await shop.addCard()
        _ = try await shop.order()
        let other = try await shop.other()
        #expect(try claims(await other.get(path)).claims.purchases.isEmpty)
    }

    @Test(arguments: ["", "?app=", "?app=a%20b", "?app=" + String(repeating: "a", count: 129)])
    func `Requests for the history must contain a valid app id`(query: String) async throws {
        let shop = try await Shop()
        #expect(await shop.get(Route.Commerce.history + query).status == 400)
    }

    /// The audiences that an API could accept in an access token.
    @Test(arguments: [
        "https://id.example.com", "https://api.shop.example", "urn:shop:api", "api.shop.example/v1",
        "shop-api",
    ])
    func `A history can't have an audience that an API accepts`(app: String) async throws {
        let shop = try await Shop { $0.tokens.audience = "shop-api" }
        let answer = await shop.get(Route.Commerce.history + "?app=" + QueryItems.encode(app))
        #expect(answer.status == 400)
        #expect(answer["error"]?["reason"]?.text?.contains("app must") ?? false)
        #expect(await shop.get(path).status == 200)
    }

    @Test(arguments: [
        ("com.example.arcade", 200), ("https://arcade.example.com", 200), ("com.example.other", 400),
        ("shop-api", 400),
    ])
    func `With a list of apps, only their ids are accepted`(app: String, status: Int) async throws {
        let shop = try await Shop { configuration in
            configuration.tokens.audience = "shop-api"
            configuration.commerce.apps = ["com.example.arcade", "https://arcade.example.com", "shop-api"]
        }
        #expect(
            await shop.get(Route.Commerce.history + "?app=" + QueryItems.encode(app)).status == status
        )
    }

    @Test func `Requests for the history are limited per account`() async throws {
        let shop = try await Shop { $0.limits.historiesPerAccount = [Rate(1, per: .seconds(3600))] }
        #expect(await shop.get(path).status == 200)
        #expect(await shop.get(path).status == 429)
    }

    @Test func `The history isn't accepted as an access token`() async throws {
        let shop = try await Shop()
        let history = try #require(await shop.get(path)["history"]?.text)
        let answer = await shop.server.get(
            "/sessions/whoami",
            headers: ["Authorization": "Bearer " + history]
        )
        #expect(answer.status == 401)
    }

    @Test func `The history can be verified until it expires even if the key is replaced`() async throws {
        let shop = try await Shop { configuration in
            configuration.tokens.accessLifespan = .seconds(60)
            configuration.tokens.keyLifespan = .seconds(10 * 86_400)
            // A server reads its keys again after a quarter of this time.
            configuration.tokens.keyNotice = .seconds(3600)
        }
        let settings = shop.server.configuration.tokens
        guard case .string(let first)? = try claims(await shop.get(path)).header["kid"] else { return }
        // This request publishes the next key.
        shop.time.advance(by: settings.keyLifespan - settings.keyNotice)
        _ = await shop.get(path)
        // The history is signed shortly before the next key replaces the first one.
        shop.time.advance(by: settings.keyNotice - .seconds(1))
        try #require(try claims(await shop.get(path)).header["kid"] == .string(first))

        shop.time.advance(by: .seconds(3000))
        #expect(try claims(await shop.get(path)).header["kid"] != .string(first))
        let verifying = try await shop.server.assembly.tokens.keys.verifying(first, at: shop.time.now)
        #expect(verifying != nil)
    }
}
