import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoints that list and refund purchase transactions.
struct CommerceAdminEndpoints: Sendable {
    let processor: PurchaseProcessor
    let database: any Database

    /// The endpoints for listing and refunding transactions.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                CommerceAdminRoute.transactions,
                below: .server,
                accepts: .adminToken,
                operation: .listAllTransactions,
                answer: list
            ),
            Endpoint(
                .post,
                CommerceAdminRoute.refund,
                below: .server,
                accepts: .adminToken,
                operation: .refundTransaction,
                answer: refund
            ),
        ]
    }

    /// Returns a page of transactions, newest first.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let request = try PageRequest(context.query, keySize: PurchasePosition.keySize)
        let (identity, state) = (context.query["identity"] ?? "", context.query["state"] ?? "")
        let id = Identifier(identity)
        guard identity.isEmpty || id != nil else {
            throw ServerError.malformed("The query parameter identity must be a UUID.")
        }
        let wanted = TransactionState(rawValue: state)
        guard state.isEmpty || wanted != nil else {
            let states = TransactionState.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServerError.malformed("The query parameter state must be one of \(states).")
        }
        let found = try await PurchaseRepository.list(
            of: id,
            in: wanted,
            before: request.key.flatMap { PurchasePosition(key: $0) },
            limit: request.size + 1,
            in: database
        )
        let page = Page(found, for: request) { PurchasePosition($0).key }
        let bodies = try page.entries.map { ($0.id, try JSONCoding.encode(AdministeredTransaction($0))) }
        let encoded = Dictionary(uniqueKeysWithValues: bodies)
        return page.response(
            CommerceAdminRoute.transactions,
            filters: [("identity", identity), ("state", state)]
        ) { purchase, json in
            json.raw(encoded[purchase.id] ?? Array("null".utf8))
        }
    }

    /// Handles `POST /admin/commerce/transactions/{id}/refund`.
    private func refund(_ context: RequestContext) async throws -> HTTP.Response {
        guard let purchase = try await processor.refund(try context.id(else: 400), for: context) else {
            throw ServerError.notFound
        }
        return try .json(200, AdministeredTransaction(purchase))
    }
}

/// A transaction as operators see it, including the id of its account and the time at which the account was
/// reclaimed.
private struct AdministeredTransaction: Encodable {
    private let purchase: Purchase

    init(_ purchase: Purchase) {
        self.purchase = purchase
    }

    private enum CodingKeys: String, CodingKey {
        case identityID = "identity_id"
        case detachedAt = "detached_at"
    }

    func encode(to encoder: any Encoder) throws {
        try purchase.body.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(purchase.identityID.description, forKey: .identityID)
        try members.encodeIfPresent(purchase.detachedAt?.description, forKey: .detachedAt)
    }
}
