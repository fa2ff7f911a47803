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
                returning: AdministeredTransactionBody.self,
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
        return try page.response(
            CommerceAdminRoute.transactions,
            filters: [("identity", identity), ("state", state)],
            body: \.administeredBody
        )
    }

    /// Handles `POST /admin/commerce/transactions/{id}/refund`.
    private func refund(
        _ context: RequestContext
    ) async throws -> BodyResponse<AdministeredTransactionBody> {
        guard let purchase = try await processor.refund(try context.id(else: 400), for: context) else {
            throw ServerError.notFound
        }
        return .ok(purchase.administeredBody)
    }
}

extension Purchase {
    /// The purchase as operators see it.
    fileprivate var administeredBody: AdministeredTransactionBody {
        AdministeredTransactionBody(
            transaction: body,
            identityID: identityID.description,
            detachedAt: detachedAt?.description
        )
    }
}
