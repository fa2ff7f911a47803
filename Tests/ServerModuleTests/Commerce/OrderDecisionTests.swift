import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyCommerce

@Suite struct `Validation of orders` {
    private static let id = "3f0c3c0e-3c6f-4c0e-9d0a-111111111111"

    private func request(_ body: OrderBody, key: String? = "key") throws -> OrderRequest {
        try OrderRequest.parse(body, key: key)
    }

    @Test(arguments: [nil, "", "with space", "tab\t", "ü", String(repeating: "k", count: 129)] as [String?])
    func `An order needs an idempotency key that consists of visible ASCII characters`(key: String?) throws {
        let error = try #require(throws: ServerError.self) {
            try request(OrderBody(productID: "a"), key: key)
        }
        #expect(error.status == 400)
    }

    @Test(arguments: [
        OrderBody(productID: "a", quantity: 0), OrderBody(productID: "a", quantity: -1),
        OrderBody(productID: "a", quantity: 11), OrderBody(productID: "a", quantity: .max),
        OrderBody(productID: "a", price: MoneyBody(amount: -1, currency: "EUR")),
        OrderBody(productID: "a", price: MoneyBody(amount: 1, currency: "eur")),
        OrderBody(productID: "a", price: MoneyBody(amount: .max, currency: "EUR")),
        OrderBody(productID: "a", paymentMethodID: "1"),
    ])
    func `Orders with invalid values are rejected`(body: OrderBody) throws {
        let error = try #require(throws: ServerError.self) { try request(body) }
        #expect(error.status == 400)
    }

    @Test func `The default quantity is one`() throws {
        let (short, full) = (OrderBody(productID: "a"), OrderBody(productID: "a", quantity: 1))
        #expect(try request(short).quantity == 1)
        #expect(try request(short).fingerprint == request(full).fingerprint)
    }

    @Test func `An order's fingerprint depends on all of its members`() throws {
        let bodies = [
            OrderBody(productID: "a"), OrderBody(productID: "b"), OrderBody(productID: "a", quantity: 2),
            OrderBody(productID: "a", price: MoneyBody(amount: 1, currency: "EUR")),
            OrderBody(productID: "a", price: MoneyBody(amount: 2, currency: "EUR")),
            OrderBody(productID: "a", price: MoneyBody(amount: 1, currency: "NOK")),
            OrderBody(productID: "a", paymentMethodID: Self.id),
        ]
        #expect(Set(try bodies.map { try request($0).fingerprint }).count == bodies.count)
    }
}

@Suite struct `Decisions about orders` {
    private let catalog: ProductCatalog
    private let storefront: Storefront
    private let first: PaymentMethod
    private let second: PaymentMethod

    init() throws {
        catalog = try ProductCatalog(Array(Shop.catalog.utf8), defaultRegion: "AT")
        storefront = catalog.defaultStorefront
        first = Self.method(isDefault: false)
        second = Self.method(isDefault: true)
    }

    private static func method(isDefault: Bool) -> PaymentMethod {
        PaymentMethod(
            id: Identifier(),
            kind: .sandboxCard,
            token: "sandbox_success_1",
            brand: "sandbox",
            lastFour: "4242",
            isDefault: isDefault,
            createdAt: Timestamp(seconds: 0)
        )
    }

    private func decide(
        _ product: String,
        quantity: Int = 1,
        price: MoneyBody? = nil,
        method: Identifier? = nil,
        owned: TransactionState? = nil,
        methods: [PaymentMethod]? = nil
    ) throws -> OrderDecision {
        let body = OrderBody(
            productID: product,
            quantity: quantity,
            price: price,
            paymentMethodID: method?.description
        )
        let facts = OrderDecision.Facts(
            offer: catalog.product(product, in: storefront),
            owned: owned,
            paymentMethods: methods ?? [first, second]
        )
        return OrderDecision(try OrderRequest.parse(body, key: "key"), given: facts)
    }

    @Test func `An order uses the given payment method or the default one`() throws {
        guard case .buy(let product, let price, second) = try decide("coins.100") else {
            Issue.record("The order was not accepted.")
            return
        }
        #expect(product.id == "coins.100")
        #expect(price.amount == 499)
        guard case .buy(_, _, first) = try decide("coins.100", method: first.id) else {
            Issue.record("The payment method was not used.")
            return
        }
    }

    @Test func `A consumable product can be bought repeatedly and in any quantity`() throws {
        guard case .buy = try decide("coins.100", quantity: 10, owned: .purchased) else {
            Issue.record("The order was not accepted.")
            return
        }
    }

    @Test func `A product that the storefront doesn't sell is rejected`() throws {
        #expect(try decide("unknown") == .refuse(.unavailable))
        let norway = try #require(Region("NO").flatMap { catalog.storefronts[$0] })
        #expect(catalog.product("vignette", in: norway) == nil)
    }

    @Test func `A non-consumable product can be bought only once and only as a single unit`() throws {
        #expect(try decide("pro", owned: .purchased) == .refuse(.alreadyPurchased))
        #expect(try decide("pro", owned: .purchasing) == .refuse(.pending))
        #expect(try decide("pro", owned: .deferred) == .refuse(.pending))
        #expect(try decide("pro", quantity: 2) == .refuse(.tooManyUnits))
    }

    @Test(
        arguments: [(499, "EUR", true), (500, "EUR", false), (499, "NOK", false), (0, "EUR", false)]
            as [(Int64, String, Bool)]
    )
    func `An order is rejected if the price has changed since the app displayed it`(
        amount: Int64,
        currency: String,
        isAccepted: Bool
    ) throws {
        let decision = try decide("coins.100", price: MoneyBody(amount: amount, currency: currency))
        #expect((decision == .refuse(.priceChanged)) == !isAccepted)
    }

    @Test func `An order is rejected if the account doesn't have the payment method`() throws {
        #expect(try decide("coins.100", methods: []) == .refuse(.noPaymentMethod))
        #expect(try decide("coins.100", method: Identifier()) == .refuse(.noPaymentMethod))
    }
}

@Suite struct `Sandbox card numbers` {
    @Test(
        arguments: [
            ("4242424242424242", .success), ("4242 4242 4242 4242", .success),
            ("4000-0000-0000-0002", .decline),
            ("4000000000003220", .confirmation), ("4000000000000341", .timeout), ("4111111111111111", nil),
            ("5555555555554444", nil), ("", nil), ("424242424242424", nil), ("٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", .success),
            (String(repeating: " ", count: 300) + "4242424242424242", nil),
        ] as [(String, SandboxCard?)]
    )
    func `Only the four sandbox card numbers are recognized`(number: String, card: SandboxCard?) {
        #expect(SandboxCard(number: Secret(number)) == card)
    }
}
