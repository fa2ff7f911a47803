import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestContract
import Testing

/// A new body only has to be added to the samples.
@Suite struct `Documented bodies` {
    private static let id = "11111111-1111-4111-8111-111111111111"
    private static let time = "2026-01-02T03:04:05Z"
    private static let price = MoneyBody(amount: 499, currency: "EUR")
    private static let storefront = StorefrontBody(
        id: "AT",
        countryCode: "AT",
        currency: "EUR",
        isGuess: true
    )
    private static let product = ProductsBody.Product(
        id: "coins.100",
        title: "100 coins",
        description: "A bag of coins.",
        kind: .consumable,
        price: price
    )
    private static let paymentMethod = PaymentMethodBody(
        id: id,
        kind: .sandboxCard,
        brand: "sandbox",
        lastFour: "4242",
        isDefault: true,
        createdAt: time
    )
    private static let transaction = TransactionBody(
        id: id,
        productID: "coins.100",
        quantity: 2,
        price: price,
        countryCode: "AT",
        state: OpenEnum(.failed),
        createdAt: time,
        updatedAt: time,
        purchasedAt: time,
        finishedAt: time,
        refundedAt: time,
        failure: OpenEnum(.declined)
    )
    private static let entitlement = EntitlementsBody.Entitlement(
        productID: "game.meteor",
        transactionID: id,
        grantedAt: time
    )
    private static let requiredField = ClientInfoBody.RequiredField(
        name: "display_name",
        isRequired: true,
        minimumAge: 16,
        minimumLength: 3,
        maximumLength: 40
    )
    private static let merchant = ClientInfoBody.Merchant(id: "47001", name: "Shop AS", kind: .external)

    private static let version = TermsVersionBody(
        version: 2,
        asks: "acceptance",
        effectiveAt: time,
        language: "nb",
        hash: "AAAA",
        summary: "New.",
        url: "https://id.example.com/terms/shop/2?lang=nb"
    )
    private static let answer = RecordedAnswerBody(
        id: id,
        document: "shop",
        version: 2,
        language: "nb",
        hash: "AAAA",
        answer: "acceptance",
        shown: "app_screen",
        sessionID: id,
        clientID: "shop",
        answeredAt: time
    )
    private static let document: AgreementsBody.Document = {
        var document = AgreementsBody.Document(key: "shop", kind: "terms", title: "Terms", isOpen: true)
        (document.required, document.current, document.upcoming) = (version, version, version)
        document.answer = answer
        return document
    }()
    private static let newAnswer = NewAnswersBody.Answer(
        document: "shop",
        version: 2,
        language: "nb",
        hash: "AAAA",
        answer: "acceptance",
        shown: "app_screen"
    )
    private static let clientDocument = ClientTermsBody.Document(
        key: "shop",
        kind: "terms",
        title: "Terms",
        current: version
    )
    private static let duty = DutyBody(kind: "accept_terms", isBlocking: true, fields: ["terms.shop"])

    /// One sample of each body, with all of its members.
    private static let samples: [any DocumentedBody] = [
        price, storefront, product,
        ProductsBody(storefront: storefront, products: [product], unknownIDs: ["coins.200"]),
        paymentMethod, PaymentMethodsBody(paymentMethods: [paymentMethod]),
        NewPaymentMethodBody(number: Secret("4242424242424242"), isDefault: true),
        PaymentMethodChangeBody(),
        OrderBody(productID: "coins.100", quantity: 2, price: price, paymentMethodID: id),
        ConfirmationBody(approve: true),
        transaction, TransactionReply(transaction: transaction),
        TransactionsBody(transactions: [transaction], nextPageToken: "next"),
        RestoredPurchasesBody(transactions: [transaction]),
        AdministeredTransactionBody(transaction: transaction, identityID: id, detachedAt: time),
        entitlement, EntitlementsBody(entitlements: [entitlement]),
        HistoryBody(history: "e30.e30.AA"),
        requiredField, merchant,
        ClientInfoBody(
            clientID: "shop",
            clientName: "Shop",
            merchant: merchant,
            signUp: .link,
            requiredFields: [requiredField]
        ),
        version, answer, document, AgreementsBody(documents: [document]), newAnswer,
        NewAnswersBody(answers: [newAnswer]), clientDocument, ClientTermsBody(documents: [clientDocument]),
        duty,
        RecordedAnswersBody(answers: [answer], duties: [duty], hasSessionEnded: true),
    ]

    @Test(arguments: samples.indices)
    func `A body is encoded and decoded as its schema describes`(_ index: Int) throws {
        let sample = Self.samples[index]

        #expect(try sample.contradictions(to: type(of: sample).schema) == [], "\(type(of: sample))")
    }

    @Test(
        arguments: [
            (Pair.schema, nil),
            (.object([.required("a", .integer)]), "the schema has no b"),
            (.object([.required("a", .integer)], isOpen: true), "the schema has no b"),
            (
                .object([.required("a", .integer), .optional("b", .text), .optional("c", .text)]),
                "the sample has no c"
            ),
            (.object([.optional("a", .integer), .optional("b", .text)]), "a is required"),
            (.object([.required("a", .integer), .required("b", .text)]), "b is optional"),
            (.object([.required("a", .text), .optional("b", .text)]), "/a has a different type"),
        ] as [(JSONSchema, String?)]
    )
    func `A schema that contradicts its body is found`(schema: JSONSchema, contradiction: String?) throws {
        let found = try Pair(a: 1, b: "2").contradictions(to: schema)

        #expect(contradiction.map { found.contains($0) } ?? found.isEmpty, "\(found)")
    }
}

private struct Pair: DocumentedBody {
    var a: Int
    var b: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case a, b
    }

    static let schema = JSONSchema.object([
        .required(CodingKeys.a, .integer), .optional(CodingKeys.b, .text),
    ])
}

extension DocumentedBody {
    /// Returns the contradictions between a schema and this sample, which must have all members.
    fileprivate func contradictions(to schema: JSONSchema) throws -> [String] {
        let body = try JSONCoding.encode(self)
        let members: [String: JSONValue] = try JSONCoding.decode(from: body)
        let properties = try #require(schema.properties)
        let names = Set(properties.map(\.name))
        let encoded = Set(Self.CodingKeys.allCases.map(\.stringValue)).union(members.keys)
        var found = SchemaCheck(try JSONParser.parse(body), schema).findings
        found += names.subtracting(members.keys).sorted().map { "the sample has no \($0)" }
        found += encoded.subtracting(names).sorted().map { "the schema has no \($0)" }
        for property in properties {
            let isRequired = try Self.decoded(from: members.filter { $0.key != property.name }) == nil
            guard isRequired != property.isRequired else { continue }
            found.append("\(property.name) is \(isRequired ? "required" : "optional")")
        }
        if try Self.decoded(from: members).map({ try JSONCoding.encode($0) }) != body {
            found.append("the sample is decoded as another body")
        }
        return found
    }

    /// Returns the decoded body, or `nil` if a member is missing.
    private static func decoded(from members: [String: JSONValue]) throws -> Self? {
        do {
            return try JSONCoding.decode(from: JSONCoding.encode(members))
        } catch is DecodingError {
            return nil
        }
    }
}

extension JSONSchema {
    /// The members of an object, or `nil` if this isn't an object.
    fileprivate var properties: [Property]? {
        switch self {
        case .component(let component): component.schema.properties
        case .object(let properties, _): properties
        default: nil
        }
    }
}
