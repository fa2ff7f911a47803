import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The endpoints for reading, finishing and restoring purchases.
struct TransactionEndpoints: Sendable {
    /// The maximum number of restored purchases and entitlements, which equals the maximum number of products
    /// in a catalog.
    private static let mostOwned = ProductCatalog.mostProducts

    let authenticator: SessionAuthenticator
    let limiter: Limiter
    let database: any Database
    let audit: AuditLog

    /// The endpoints for transactions, entitlements and restoring purchases.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.Commerce.transactions,
                accepts: .sessionOrScope(.purchases),
                operation: .listTransactions,
                returning: TransactionsBody.self,
                answer: list
            ),
            Endpoint(
                .get,
                Route.Commerce.transactions + "/{}",
                accepts: .sessionOrScope(.purchases),
                operation: .getTransaction,
                returning: TransactionReply.self,
                answer: get
            ),
            Endpoint(
                .post,
                Route.Commerce.completion(of: "{}"),
                accepts: .sessionOrScope(.purchases),
                operation: .finishTransaction,
                returning: TransactionReply.self,
                answer: finish
            ),
            Endpoint(
                .get,
                Route.Commerce.entitlements,
                accepts: .sessionOrScope(.purchases),
                operation: .listEntitlements,
                returning: EntitlementsBody.self,
                answer: entitlements
            ),
            Endpoint(
                .post,
                Route.Commerce.restore,
                accepts: .sessionOrScope(.purchases),
                operation: .restorePurchases,
                returning: RestoredPurchasesBody.self,
                answer: restore
            ),
        ]
    }

    private func list(_ context: RequestContext) async throws -> BodyResponse<TransactionsBody> {
        let identity = try await authenticator.requiredSession(of: context).identity.id
        let request = try PageRequest(context.query, keySize: PurchasePosition.keySize)
        let onlyUnfinished =
            switch context.query["unfinished"] {
            case nil, ""?, "false"?: false
            case "true"?: true
            case _?: throw ServerError.malformed("The query parameter unfinished must be true or false.")
            }
        let found = try await PurchaseRepository.page(
            of: identity,
            onlyUnfinished: onlyUnfinished,
            after: request.key.flatMap { PurchasePosition(key: $0) },
            limit: request.size + 1,
            in: database
        )
        let page = Page(found, for: request) { PurchasePosition($0).key }
        return .ok(
            TransactionsBody(
                transactions: page.entries.map(\.body),
                nextPageToken: page.next.map { Base64URL.encode($0) }
            )
        )
    }

    private func get(_ context: RequestContext) async throws -> BodyResponse<TransactionReply> {
        let identity = try await authenticator.requiredSession(of: context).identity.id
        guard
            let purchase = try await PurchaseRepository.find(try context.id(), in: database),
            purchase.isVisible(to: identity)
        else { throw ServerError.notFound }
        return .ok(TransactionReply(transaction: purchase.body))
    }

    /// Handles `POST /commerce/transactions/{id}/finish`.
    private func finish(_ context: RequestContext) async throws -> BodyResponse<TransactionReply> {
        let found = try await authenticator.requiredSession(of: context)
        let id = try context.id()
        let purchase = try await found.change(in: database, at: context.now) { transaction in
            guard
                let purchase = try PurchaseRepository.find(id, in: transaction),
                purchase.isVisible(to: found.session.identityID)
            else { throw ServerError.notFound }
            guard purchase.state.canBeFinished else {
                throw ServerError(
                    409,
                    id: .transactionPending,
                    reason: "The transaction is \(purchase.state.state.rawValue) and has no result yet."
                )
            }
            try PurchaseRepository.finish(id, at: context.now, in: transaction)
            return try PurchaseRepository.find(id, in: transaction)
        }
        guard let purchase else { throw ServerError.notFound }
        return .ok(TransactionReply(transaction: purchase.body))
    }

    private func entitlements(_ context: RequestContext) async throws -> BodyResponse<EntitlementsBody> {
        let identity = try await authenticator.requiredSession(of: context).identity.id
        let owned = try await PurchaseRepository.owned(by: identity, limit: Self.mostOwned, in: database)
        let entitlements = owned.map { purchase in
            EntitlementsBody.Entitlement(
                productID: purchase.productID,
                transactionID: purchase.id.description,
                grantedAt: (purchase.purchasedAt ?? purchase.updatedAt).description
            )
        }
        return .ok(EntitlementsBody(entitlements: entitlements))
    }

    /// Handles `POST /commerce/restore`.
    private func restore(_ context: RequestContext) async throws -> BodyResponse<RestoredPurchasesBody> {
        let found = try await authenticator.requiredSession(of: context)
        let identity = found.session.identityID
        let event = audit.event(.purchasesRestored, of: identity, in: context, at: context.now)
        let owned = try await found.change(in: database, at: context.now) { [limiter] transaction in
            try limiter.require([.restore(identity)], at: context.now, in: transaction)
            try AuditLog.append(event, in: transaction)
            return try PurchaseRepository.owned(by: identity, limit: Self.mostOwned, in: transaction)
        }
        return .ok(RestoredPurchasesBody(transactions: owned.map(\.body)))
    }
}
