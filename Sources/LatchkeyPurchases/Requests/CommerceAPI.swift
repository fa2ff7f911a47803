import Latchkey
import LatchkeyModel
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
        Storefront(
            try await send(.get, Route.Commerce.storefront, as: access, returning: StorefrontBody.self)
        )
    }

    func products(_ ids: [String], as access: SessionAccess?) async throws(LatchkeyError) -> ProductList {
        let query = ids.map { "id=" + QueryItems.encode($0) }.joined(separator: "&")
        let body = try await send(
            .get,
            Route.Commerce.products,
            query: query.isEmpty ? nil : query,
            as: access,
            returning: ProductsBody.self
        )
        let products = try ReadableList(of: body.products) { StoreProduct($0) }
        return ProductList(
            storefront: Storefront(body.storefront),
            products: products.elements,
            unknownIDs: body.unknownIDs + products.unreadableIDs
        )
    }

    // MARK: Payment methods

    func paymentMethods(as access: SessionAccess) async throws(LatchkeyError) -> [PaymentMethod] {
        try await send(.get, Route.Commerce.paymentMethods, as: access, returning: PaymentMethodsBody.self)
            .paymentMethods.map { PaymentMethod($0) }
    }

    func addCard(
        number: String,
        isDefault: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> PaymentMethod {
        PaymentMethod(
            try await send(
                .post,
                Route.Commerce.paymentMethods,
                body: NewPaymentMethodBody(number: Secret(number), isDefault: isDefault),
                as: access,
                returning: PaymentMethodBody.self
            )
        )
    }

    func makeDefault(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> PaymentMethod {
        PaymentMethod(
            try await send(
                .patch,
                Self.path(ofPaymentMethod: id),
                body: PaymentMethodChangeBody(),
                as: access,
                returning: PaymentMethodBody.self
            )
        )
    }

    func removePaymentMethod(_ id: String, as access: SessionAccess) async throws(LatchkeyError) {
        let request = client.serviceRequest(.delete, route: try Self.path(ofPaymentMethod: id))
        _ = try ServerAnswer<NoContent>(await access.send(request, to: client.serverOrigin))
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
        var request = client.serviceRequest(
            .post,
            route: Route.Commerce.orders,
            body: try Self.encode(order.body)
        )
        request.headers[OrderBody.idempotencyField] = order.key
        let response = try await access.send(request, to: client.serverOrigin, provingKey: provesKey)
        return try Self.transaction(in: ServerAnswer.body(of: response))
    }

    func confirm(
        _ id: String,
        approve: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> StoreTransaction {
        let path = try Route.Commerce.confirmation(of: Self.segment(id))
        let body = ConfirmationBody(approve: approve)
        return try Self.transaction(
            in: try await send(.post, path, body: body, as: access, returning: TransactionReply.self)
        )
    }

    func finish(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> StoreTransaction {
        let path = try Route.Commerce.completion(of: Self.segment(id))
        return try Self.transaction(
            in: try await send(.post, path, as: access, returning: TransactionReply.self)
        )
    }

    func transaction(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> StoreTransaction {
        let path = try Route.Commerce.transactions + "/" + Self.segment(id)
        return try Self.transaction(
            in: try await send(.get, path, as: access, returning: TransactionReply.self)
        )
    }

    /// Reads all pages of the account's transactions and returns them, oldest first.
    func transactions(
        unfinishedOnly: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> ReadableList<StoreTransaction> {
        var transactions = ReadableList<StoreTransaction>()
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
                returning: TransactionsBody.self
            )
            try transactions.append(page.transactions) { StoreTransaction($0) }
            token = page.nextPageToken
            if token?.isEmpty ?? true { return transactions }
        }
        throw .incompleteAnswer
    }

    func entitlements(as access: SessionAccess) async throws(LatchkeyError) -> [Entitlement] {
        try await send(.get, Route.Commerce.entitlements, as: access, returning: EntitlementsBody.self)
            .entitlements.map { Entitlement($0) }
    }

    func restore(as access: SessionAccess) async throws(LatchkeyError) -> [StoreTransaction] {
        let body = try await send(
            .post,
            Route.Commerce.restore,
            as: access,
            returning: RestoredPurchasesBody.self
        )
        var transactions: [StoreTransaction] = []
        for listed in body.transactions {
            guard let transaction = StoreTransaction(listed) else { throw .incompleteAnswer }
            transactions.append(transaction)
        }
        return transactions
    }

    func history(for app: String, as access: SessionAccess) async throws(LatchkeyError) -> String {
        try await send(
            .get,
            Route.Commerce.history,
            query: "app=" + QueryItems.encode(app),
            as: access,
            returning: HistoryBody.self
        ).history
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
    private func send<Output: AnswerBody & Decodable>(
        _ method: HTTP.Method,
        _ route: String,
        query: String? = nil,
        body: (any Encodable & Sendable)? = nil,
        as access: SessionAccess?,
        returning type: Output.Type
    ) async throws(LatchkeyError) -> Output {
        var json: [UInt8]?
        if let body { json = try Self.encode(body) }
        let request = client.serviceRequest(method, route: route, query: query, body: json)
        let response =
            if let access {
                try await access.send(request, to: client.serverOrigin)
            } else {
                try await client.sendWithoutSession(request)
            }
        return try ServerAnswer.body(of: response)
    }

    private static func encode(_ body: some Encodable) throws(LatchkeyError) -> [UInt8] {
        do {
            return try JSONCoding.encode(body)
        } catch {
            throw LatchkeyError(.invalidInput, message: "The request can't be encoded.", cause: error)
        }
    }

    private static func transaction(in reply: TransactionReply) throws(LatchkeyError) -> StoreTransaction {
        guard let transaction = StoreTransaction(reply.transaction) else { throw .incompleteAnswer }
        return transaction
    }
}

/// An identifier that no server assigns, because it can't be part of a path.
struct ImpossibleID: Error {}

/// The elements of a list that this version can read, and the identifiers of the others.
struct ReadableList<Element: Sendable>: Sendable {
    private(set) var elements: [Element] = []
    private(set) var unreadableIDs: [String] = []

    init() {}

    init<Body: Identifiable<String>>(
        of list: [Listed<Body>],
        as convert: (Body) -> Element?
    ) throws(LatchkeyError) {
        try append(list, as: convert)
    }

    /// Adds a page of the list.
    ///
    /// - Throws: ``LatchkeyError/Code/invalidResponse`` if not even the identifier of an element can be read.
    mutating func append<Body: Identifiable<String>>(
        _ page: [Listed<Body>],
        as convert: (Body) -> Element?
    ) throws(LatchkeyError) {
        for listed in page {
            switch listed {
            case .readable(let body):
                if let element = convert(body) {
                    elements.append(element)
                } else {
                    unreadableIDs.append(body.id)
                }
            case .unreadable(let json):
                guard let id = json["id"]?.text else { throw .incompleteAnswer }
                unreadableIDs.append(id)
            }
        }
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
