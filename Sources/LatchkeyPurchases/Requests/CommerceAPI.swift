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
        let json = try await send(.get, Route.Commerce.storefront, as: access)
        return try value(Storefront(decoding: json))
    }

    func products(_ ids: [String], as access: SessionAccess?) async throws(LatchkeyError) -> ProductList {
        let query = ids.map { "id=" + QueryItems.encode($0) }.joined(separator: "&")
        let json = try await send(
            .get,
            Route.Commerce.products,
            query: query.isEmpty ? nil : query,
            as: access
        )
        return ProductList(
            storefront: try value(Storefront(decoding: json["storefront"])),
            products: (json["products"]?.array ?? []).compactMap { StoreProduct(decoding: $0) },
            unknownIDs: (json["unknown_ids"]?.array ?? []).compactMap(\.text)
        )
    }

    // MARK: Payment methods

    func paymentMethods(as access: SessionAccess) async throws(LatchkeyError) -> [PaymentMethod] {
        let json = try await send(.get, Route.Commerce.paymentMethods, as: access)
        return (json["payment_methods"]?.array ?? []).compactMap { PaymentMethod(decoding: $0) }
    }

    func addCard(
        number: String,
        isDefault: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> PaymentMethod {
        let json = try await send(
            .post,
            Route.Commerce.paymentMethods,
            body: ["kind": "sandbox_card", "number": .string(number), "is_default": .bool(isDefault)],
            as: access
        )
        return try value(PaymentMethod(decoding: json))
    }

    func makeDefault(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> PaymentMethod {
        let path = Self.path(ofPaymentMethod: id)
        let json = try await send(.patch, path, body: ["is_default": true], as: access)
        return try value(PaymentMethod(decoding: json))
    }

    func removePaymentMethod(_ id: String, as access: SessionAccess) async throws(LatchkeyError) {
        _ = try await send(.delete, Self.path(ofPaymentMethod: id), as: access)
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
        let answer = try await access.send(request, to: client.serverOrigin, provingKey: provesKey)
        return try transaction(try client.serviceBody(of: answer))
    }

    func confirm(
        _ id: String,
        approve: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> StoreTransaction {
        let path = Route.Commerce.confirmation(of: QueryItems.encode(id))
        return try transaction(try await send(.post, path, body: ["approve": .bool(approve)], as: access))
    }

    func finish(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> StoreTransaction {
        let path = Route.Commerce.completion(of: QueryItems.encode(id))
        return try transaction(try await send(.post, path, as: access))
    }

    func transaction(_ id: String, as access: SessionAccess) async throws(LatchkeyError) -> StoreTransaction {
        let path = Route.Commerce.transactions + "/" + QueryItems.encode(id)
        return try transaction(try await send(.get, path, as: access))
    }

    /// Reads all pages of the account's transactions and returns them, oldest first.
    func transactions(
        unfinishedOnly: Bool,
        as access: SessionAccess
    ) async throws(LatchkeyError) -> [StoreTransaction] {
        var transactions: [StoreTransaction] = []
        var token: String?
        for _ in 0..<Self.pageLimit {
            var items = ["page_size=\(Self.pageSize)"]
            if unfinishedOnly { items.append("unfinished=true") }
            if let token { items.append("page_token=" + QueryItems.encode(token)) }
            let page = try await send(
                .get,
                Route.Commerce.transactions,
                query: items.joined(separator: "&"),
                as: access
            )
            transactions += (page["transactions"]?.array ?? []).compactMap { StoreTransaction(decoding: $0) }
            token = page["next_page_token"]?.text
            if token?.isEmpty ?? true { break }
        }
        return transactions
    }

    func entitlements(as access: SessionAccess) async throws(LatchkeyError) -> [Entitlement] {
        let json = try await send(.get, Route.Commerce.entitlements, as: access)
        return (json["entitlements"]?.array ?? []).compactMap { Entitlement(decoding: $0) }
    }

    func restore(as access: SessionAccess) async throws(LatchkeyError) -> [StoreTransaction] {
        let json = try await send(.post, Route.Commerce.restore, as: access)
        return (json["transactions"]?.array ?? []).compactMap { StoreTransaction(decoding: $0) }
    }

    func history(for app: String, as access: SessionAccess) async throws(LatchkeyError) -> String {
        let json = try await send(
            .get,
            Route.Commerce.history,
            query: "app=" + QueryItems.encode(app),
            as: access
        )
        return try value(json["history"]?.text)
    }

    // MARK: Exchanges

    private static func path(ofPaymentMethod id: String) -> String {
        Route.Commerce.paymentMethods + "/" + QueryItems.encode(id)
    }

    /// Sends a request with the credentials of the session, or without credentials if `access` is `nil`.
    private func send(
        _ method: HTTP.Method,
        _ route: String,
        query: String? = nil,
        body: JSONValue? = nil,
        as access: SessionAccess?
    ) async throws(LatchkeyError) -> JSONValue {
        let request = client.serviceRequest(method, route: route, query: query, body: body)
        let answer =
            if let access {
                try await access.send(request, to: client.serverOrigin)
            } else {
                try await client.sendWithoutSession(request)
            }
        return try client.serviceBody(of: answer)
    }

    private func transaction(_ json: JSONValue) throws(LatchkeyError) -> StoreTransaction {
        try value(StoreTransaction(decoding: json["transaction"]))
    }

    /// Returns a decoded value, or throws an error if it is `nil`.
    ///
    /// - Throws: ``LatchkeyError/Code/invalidAnswer`` if the value could not be decoded.
    private func value<Value>(_ decoded: Value?) throws(LatchkeyError) -> Value {
        guard let decoded else {
            throw LatchkeyError(.invalidAnswer, message: "The server's response is incomplete.")
        }
        return decoded
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
        code == .deviceKeyFailed || (cause as? ServerRefusal)?.id == ErrorID.invalidDPoPProof.rawValue
    }
}
