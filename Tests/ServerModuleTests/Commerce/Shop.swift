import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCommerce

/// A server with a product catalog, and a logged-in account that uses the `shopper` schema.
struct Shop: Sendable {
    /// A catalog with three storefronts, two consumable products and two non-consumable ones.
    static let catalog = """
        {
          // The language to use if a product has no text in the requested languages.
          default_language: "en",
          storefronts: {AT: "EUR", NO: "NOK", US: "USD"},
          products: [
            {
              id: "coins.100",
              kind: "consumable",
              title: {en: "100 coins", de: "100 Münzen"},
              description: {en: "For the arcade."},
              prices: {AT: 499, NO: 1200, US: 500},
            },
            {id: "level-pack", kind: "consumable", title: {en: "Levels"}, prices: {AT: 100, NO: 200, US: 100}},
            {id: "pro", kind: "non_consumable", title: {en: "Pro"}, prices: {AT: 1999, NO: 4900, US: 2000}},
            {id: "vignette", kind: "non_consumable", title: {en: "Vignette"}, prices: {AT: 960}},
          ],
        }
        """

    static let phone = "+436601234567"

    let admin: AdminServer
    let id: Identifier
    let token: String
    let phone: String

    var server: SelfServiceServer { admin.people }
    var database: any Database { server.resources.database }
    var time: VirtualTime { server.time }

    /// Starts a server and registers the account.
    init(phone: String = phone, _ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
        admin = try await AdminServer(schema: "shopper", catalog: Self.catalog) { configuration in
            configuration.commerce.defaultRegion = "US"
            change(&configuration)
        }
        (id, token) = try await Self.register(phone, on: admin.people)
        self.phone = phone
    }

    private init(admin: AdminServer, id: Identifier, token: String, phone: String) {
        self.phone = phone
        self.admin = admin
        self.id = id
        self.token = token
    }

    /// Starts a server with a different schema, and registers the account with the given closure.
    init(
        registering schema: String,
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ register: (SelfServiceServer) async throws -> (Identifier, String)
    ) async throws {
        admin = try await AdminServer(schema: schema, catalog: Self.catalog) { configuration in
            configuration.commerce.defaultRegion = "US"
            change(&configuration)
        }
        (id, token) = try await register(admin.people)
        phone = ""
    }

    /// Registers a second account on the same server.
    func other(_ phone: String = "+4790000001") async throws -> Shop {
        let (id, token) = try await Self.register(phone, on: server)
        return Shop(admin: admin, id: id, token: token, phone: phone)
    }

    /// Returns the same shop with a different session of the account.
    func with(token: String) -> Shop {
        Shop(admin: admin, id: id, token: token, phone: phone)
    }

    /// Registers an account with a code that is sent to its phone number.
    static func register(
        _ phone: String,
        on server: SelfServiceServer,
        traits more: [String: JSONValue] = [:]
    ) async throws -> (Identifier, String) {
        let traits = JSONValue.object(more.merging(["phone": .string(phone)]) { own, _ in own })
        let flow = await server.begin(.registration)
        let sent = try await server.submitCode(.registration, flow, ["traits": traits])
        try #require(sent["state"] == "sent_email", "\(sent.body)")
        let code = JSONValue.string(try await server.code(for: phone))
        let answer = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        let id = answer["identity"]?["id"]?.text.flatMap { Identifier($0) }
        return (try #require(id, "\(answer.body)"), try #require(answer.sessionToken))
    }

    // MARK: Requests

    func get(_ path: String, headers: HTTP.Headers = [:]) async -> Answer {
        await server.get(path, token: token, headers: headers)
    }

    func post(_ path: String, _ body: JSONValue = .object([:]), headers: HTTP.Headers = [:]) async throws
        -> Answer
    {
        try await server.post(path, body, token: token, headers: headers)
    }

    /// Adds a sandbox card that behaves in the given way.
    @discardableResult
    func addCard(_ card: SandboxCard = .success, isDefault: Bool = false) async throws -> Answer {
        try await post(
            Route.Commerce.paymentMethods,
            .object([
                "kind": "sandbox_card", "number": .string(card.number), "is_default": .bool(isDefault),
            ])
        )
    }

    func order(
        _ product: String = "coins.100",
        key: String? = "order-1",
        _ members: [String: JSONValue] = [:],
        headers: HTTP.Headers = [:]
    ) async throws -> Answer {
        var headers = headers
        headers[OrderBody.idempotencyField] = key
        let body = members.merging(["product_id": .string(product)]) { own, _ in own }
        return try await post(Route.Commerce.orders, .object(body), headers: headers)
    }

    func confirm(_ transaction: String, approve: Bool) async throws -> Answer {
        try await post(Route.Commerce.confirmation(of: transaction), .object(["approve": .bool(approve)]))
    }

    /// Refunds a transaction as the operator.
    func refund(_ transaction: String) async -> Answer {
        await admin.send(.post, CommerceAdminRoute.refund(of: transaction))
    }

    /// Changes the region in the user's profile.
    func change(region: String) async throws -> Answer {
        try await server.change(
            traits: ["phone": .string(phone), "region": .string(region)],
            token: token
        )
    }

    /// Advances the clock and runs one round of purchase recovery.
    ///
    /// The default delay is long enough for the leases to expire.
    func recover(after delay: Duration = .seconds(11)) async throws {
        time.advance(by: delay)
        try await server.assembly.commerce?.recovery.round()
    }

    // MARK: Stored data

    /// Returns the number of sandbox payments that were charged.
    func charges() async throws -> Int64 {
        try await count("SELECT COUNT(*) FROM sandbox_payments WHERE result = 'charged'")
    }

    /// Returns the number of sandbox payments that were refunded.
    func refunds() async throws -> Int64 {
        try await count("SELECT COUNT(*) FROM sandbox_payments WHERE refunded_at IS NOT NULL")
    }

    func count(_ sql: SQL) async throws -> Int64 {
        try await database.rows(sql).first?.integer(0) ?? -1
    }

    /// Returns how often an action on the account was recorded in the audit log.
    func audited(_ action: AuditAction) async throws -> Int {
        try await server.actions(of: id).count { $0 == action }
    }

    /// Returns the ids of the products that the account owns.
    func owned() async -> [String] {
        await get(Route.Commerce.entitlements)["entitlements"]?.elements
            .compactMap { $0["product_id"]?.text } ?? []
    }
}

extension Answer {
    /// The transaction in the response.
    var transaction: JSONValue? { self["transaction"] }

    /// The id of the transaction in the response.
    var transactionID: String { transaction?["id"]?.text ?? "none" }

    /// The state of the transaction in the response.
    var state: String? { transaction?["state"]?.text }
}
