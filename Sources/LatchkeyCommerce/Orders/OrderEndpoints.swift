import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The endpoints for ordering products and confirming deferred purchases.
struct OrderEndpoints: Sendable {
    private static let bodyLimit = 4096

    let placement: OrderPlacement
    let processor: PurchaseProcessor
    let authenticator: SessionAuthenticator
    let database: any Database
    let audit: AuditLog

    /// The endpoints for orders and confirmations.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                Route.Commerce.orders,
                accepts: .sessionOrScope(.purchases, bound: true),
                operation: .order,
                body: OrderBody.self,
                limit: Self.bodyLimit,
                returning: TransactionReply.self,
                answer: order
            ),
            Endpoint(
                .post,
                Route.Commerce.confirmation(of: "{}"),
                accepts: .sessionOrScope(.purchases, bound: true),
                operation: .confirmTransaction,
                body: ConfirmationBody.self,
                limit: Self.bodyLimit,
                returning: TransactionReply.self,
                answer: confirm
            ),
        ]
    }

    /// Handles `POST /commerce/orders`.
    ///
    /// The order is stored before it is charged. If the client doesn't receive a response, it repeats the
    /// request with the same idempotency key. The repeated request completes the purchase, which is charged
    /// at most once.
    private func order(
        _ context: RequestContext,
        body: RequestBody<OrderBody>
    ) async throws -> BodyResponse<TransactionReply> {
        let found = try await authenticator.requiredSession(of: context)
        let request = try OrderRequest.parse(
            body.decoded(),
            key: context.request.headers[OrderBody.idempotencyField]
        )
        let placed = try await placement.place(request, for: found, in: context)
        let purchase = try await processed(placed.purchase, for: context)
        let reply = TransactionReply(transaction: purchase.body)
        return placed.isNew ? .created(reply) : .ok(reply)
    }

    /// Handles `POST /commerce/transactions/{id}/confirm`.
    private func confirm(
        _ context: RequestContext,
        body: RequestBody<ConfirmationBody>
    ) async throws -> BodyResponse<TransactionReply> {
        let found = try await authenticator.requiredSession(of: context)
        let id = try context.id()
        let isApproved = try body.decoded().approve
        let identity = found.session.identityID
        let event = audit.event(
            .purchaseFailed,
            of: identity,
            in: context,
            about: id.description,
            at: context.now
        )
        let purchase = try await found.change(in: database, at: context.now) { [processor] transaction in
            // Denying a payment does not spend any money.
            if isApproved { _ = try Identity.confirmed(identity, in: transaction) }
            return try processor.answer(isApproved, to: id, of: identity, event: event, in: transaction)
        }
        guard let purchase else { throw ServerError.notFound }
        return .ok(TransactionReply(transaction: try await processed(purchase, for: context).body))
    }

    /// Charges a purchase that doesn't have a result yet.
    ///
    /// If charging fails, the stored purchase is returned, and ``PurchaseRecovery`` charges it later.
    private func processed(_ purchase: Purchase, for context: RequestContext) async throws -> Purchase {
        guard purchase.state.state == .purchasing else { return purchase }
        do {
            return try await processor.process(purchase.id, for: context)
        } catch {
            guard let stored = try await PurchaseRepository.find(purchase.id, in: database) else {
                throw ServerError.notFound
            }
            return stored
        }
    }
}
