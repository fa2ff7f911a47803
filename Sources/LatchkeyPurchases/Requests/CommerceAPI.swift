import Latchkey
import LatchkeyWire

/// A client for the purchase API with one method per request.
///
/// Requests throw ``LatchkeyError`` values.
struct CommerceAPI: Sendable {
    /// The maximum number of pages to read from a list.
    private static let pageLimit = 100

    /// The number of transactions per page.
    private static let pageSize = 100

    private let client: LatchkeyClient

    init(_ client: LatchkeyClient) {
        self.client = client
    }

    // MARK: The catalogue

    func storefront(as access: SessionAccess?) async throws(LatchkeyError) -> Storefront {
        let answer = try await send(.get, Route.Commerce.storefront, as: access, for: StorefrontBody.self)
        return try answer.value(Storefront(decoding: answer.json))
    }

    func products(_ ids: [String], as access: SessionAccess?) async throws(LatchkeyError) -> ProductList {
        let query = ids.map { "id=" + QueryItems.encode($0) }.joined(separator: "&")
        let answer = try await send(
            .get,
            Route.Commerce.products,
            query: query.isEmpty ? nil : query,
            as: access,
            for: ProductsBody.self
        )
        let listed = try answer.list("products") { Listed(decoding: $0, as: StoreProduct.init(decoding:)) }
        return ProductList(
            storefront: try answer.value(Storefront(decoding: answer.json["storefront"])),
            products: listed.compactMap(\.element),
            unknownIDs: try answer.list("unknown_ids", of: \.text) + listed.compactMap(\.unreadableID)
        )
    }

    // MARK: Payment methods

    func paymentMethods(as access: SessionAccess) async throws(LatchkeyError) -> [PaymentMethod] {
        try await send(.get, Route.Commerce.paymentMethods, as: access, for: PaymentMethodsBody.self)
            .list("payment_methods") { PaymentMethod(decoding: $0) }
    }

    func addCard(
        number: String,
        isDefault: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> PaymentMethod {
        let answer = try await send(
            .post,
            Route.Commerce.paymentMethods,
            body: ["kind": "sandbox_card", "number": .string(number), "is_default": .bool(isDefault)],
            as: access,
            for: PaymentMethodBody.self
        )
        return try answer.value(PaymentMethod(decoding: answer.json))
    }

    func makeDefault(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> PaymentMethod {
        let answer = try await send(
            .patch,
            Self.path(ofPaymentMethod: id),
            body: ["is_default": true],
            as: access,
            for: PaymentMethodBody.self
        )
        return try answer.value(PaymentMethod(decoding: answer.json))
    }

    func removePaymentMethod(_ id: String, as access: SessionAccess) async throws(LatchkeyError) {
        _ = try await send(.delete, Self.path(ofPaymentMethod: id), as: access, for: NoContent.self)
    }

    // MARK: Purchases

    /// Places an order.
    ///
    /// If the server requires a recent login or an older device, the order is sent once more with a proof of
    /// possession of the device's key, because a device that was added to the account at least a day ago needs
    /// no login.
    func place(
        _ order: PurchaseOrder,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> StoreTransaction {
        do throws(LatchkeyError) {
            return try await place(order, as: access, provingKey: false)
        } catch  where error.requiresStepUp {
            let first = error
            do throws(LatchkeyError) {
                return try await place(order, as: access, provingKey: true)
            } catch  where error.preventsProof {
                // The user may be able to log in, for example if the device's key store is locked.
                throw first
            }
        }
    }

    private func place(
        _ order: PurchaseOrder,
        as access: SessionAccess,
        provingKey provesKey: Bool
    ) async throws(LatchkeyError) -> StoreTransaction {
        var request = client.serviceRequest(.post, route: Route.Commerce.orders, body: order.requestBody)
        request.headers[OrderBody.idempotencyField] = order.key
        let response = try await access.send(request, to: client.serverOrigin, provingKey: provesKey)
        return try Self.transaction(in: try ServerAnswer(response))
    }

    func confirm(
        _ id: String,
        approve: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> StoreTransaction {
        let path = try Route.Commerce.confirmation(of: Self.segment(id))
        let body: JSONValue = ["approve": .bool(approve)]
        return try Self.transaction(
            in: try await send(.post, path, body: body, as: access, for: TransactionReply.self)
        )
    }

    func finish(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> StoreTransaction {
        let path = try Route.Commerce.completion(of: Self.segment(id))
        return try Self.transaction(
            in: try await send(.post, path, as: access, for: TransactionReply.self)
        )
    }

    func transaction(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> StoreTransaction {
        let path = try Route.Commerce.transactions + "/" + Self.segment(id)
        return try Self.transaction(
            in: try await send(.get, path, as: access, for: TransactionReply.self)
        )
    }

    /// Reads all pages of the account's transactions and returns them, oldest first.
    func transactions(
        unfinishedOnly: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> [Listed<StoreTransaction>] {
        var transactions: [Listed<StoreTransaction>] = []
        var token: String?
        for _ in 0..<Self.pageLimit {
            var items = ["page_size=\(Self.pageSize)"]
            if unfinishedOnly { items.append("unfinished=true") }
            if let token { items.append("page_token=" + QueryItems.encode(token)) }
            let page = try await send(
                .get,
                Route.Commerce.transactions,
                query: items.joined(separator: "&"),
                as: access,
                for: TransactionsBody.self
            )
            transactions += try page.list("transactions") {
                Listed(decoding: $0, as: StoreTransaction.init(decoding:))
            }
            token = page.json["next_page_token"]?.text
            if token?.isEmpty ?? true { return transactions }
        }
        throw .incompleteAnswer
    }

    func entitlements(as access: SessionAccess) async throws(LatchkeyError) -> [Entitlement] {
        try await send(.get, Route.Commerce.entitlements, as: access, for: EntitlementsBody.self)
            .list("entitlements") { Entitlement(decoding: $0) }
    }

    func restore(as access: SessionAccess) async throws(LatchkeyError) -> [StoreTransaction] {
        try await send(.post, Route.Commerce.restore, as: access, for: TransactionsBody.self)
            .list("transactions") { StoreTransaction(decoding: $0) }
    }

    func history(for app: String, as access: SessionAccess) async throws(LatchkeyError) -> String {
        let answer = try await send(
            .get,
            Route.Commerce.history,
            query: "app=" + QueryItems.encode(app),
            as: access,
            for: HistoryBody.self
        )
        return try answer.value(answer.json["history"]?.text)
    }

    // MARK: Exchanges

    private static func path(ofPaymentMethod id: String) throws(LatchkeyError) -> String {
        try Route.Commerce.paymentMethods + "/" + segment(id)
    }

    /// Encodes an identifier as a path segment.
    ///
    /// - Throws: ``LatchkeyError`` with the cause ``ImpossibleID`` if the path would lead to another route.
    private static func segment(_ id: String) throws(LatchkeyError) -> String {
        guard let segment = PathSegment.encode(id) else {
            throw LatchkeyError(
                .invalidInput,
                message: "The server has nothing with the identifier \(id.debugDescription).",
                cause: ImpossibleID()
            )
        }
        return segment
    }

    /// Sends a request with the credentials of the session, or without credentials if `access` is `nil`.
    private func send<Body: AnswerBody>(
        _ method: HTTP.Method,
        _ route: String,
        query: String? = nil,
        body: JSONValue? = nil,
        as access: SessionAccess?,
        for type: Body.Type
    ) async throws(LatchkeyError) -> ServerAnswer<Body> {
        let request = client.serviceRequest(method, route: route, query: query, body: body)
        let response =
            if let access {
                try await access.send(request, to: client.serverOrigin)
            } else {
                try await client.sendWithoutSession(request)
            }
        return try ServerAnswer(response)
    }

    private static func transaction(
        in answer: ServerAnswer<TransactionReply>
    ) throws(LatchkeyError) -> StoreTransaction {
        try answer.value(StoreTransaction(decoding: answer.json["transaction"]))
    }
}

/// An identifier that no server assigns, because it can't be part of a path.
struct ImpossibleID: Error {}

/// An element of a list, which this version may not be able to read.
enum Listed<Element: Sendable>: Sendable {
    case readable(Element)
    /// The identifier of an element that this version can't read.
    case unreadable(String)

    /// Decodes an element, or returns `nil` if not even its identifier can be read.
    init?(decoding json: JSONValue, as decode: (JSONValue) -> Element?) {
        if let element = decode(json) {
            self = .readable(element)
        } else if let id = json["id"]?.text {
            self = .unreadable(id)
        } else {
            return nil
        }
    }

    /// The element, or `nil` if this version can't read it.
    var element: Element? {
        if case .readable(let element) = self { element } else { nil }
    }

    /// The identifier, or `nil` if this version can read the element.
    var unreadableID: String? {
        if case .unreadable(let id) = self { id } else { nil }
    }
}

extension LatchkeyError {
    /// Whether the server has rejected an order because it requires a recent login or an older device.
    fileprivate var requiresStepUp: Bool {
        guard let refusal = cause as? ServerRefusal else { return false }
        return refusal.duty == .reauthenticate || refusal.id == ErrorID.deviceTooNew.rawValue
    }

    /// Whether a proof of possession could not be created or was rejected by the server.
    fileprivate var preventsProof: Bool {
        code == .deviceKeyFailed || code == .proofRejected
            || (cause as? ServerRefusal)?.id == ErrorID.invalidDPoPProof.rawValue
    }
}
