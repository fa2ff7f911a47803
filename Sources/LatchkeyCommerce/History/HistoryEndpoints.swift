import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The endpoint that returns an account's signed purchase history.
struct HistoryEndpoints: Sendable {
    /// How long a history is valid after it has been signed.
    static let lifespan: Duration = .seconds(3600)

    /// The maximum number of purchases in a history.
    ///
    /// Older purchases are omitted.
    private static let mostPurchases = 1000

    /// The `iss` claim of the history: the server's URL.
    let issuer: String
    let apps: HistoryAudience
    let sign: HistorySigner
    let authenticator: SessionAuthenticator
    let limiter: Limiter
    let database: any Database
    let random: any RandomSource

    /// The endpoint for the purchase history.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.Commerce.history,
                accepts: .sessionOrScope(.purchases),
                operation: .getPurchaseHistory,
                returning: HistoryBody.self,
                answer: history
            )
        ]
    }

    /// Handles `GET /commerce/history`.
    ///
    /// The audience is the app's id, so the backend of a different app rejects the history. Histories and
    /// access tokens are signed with the same keys, but the type in the header differs.
    private func history(_ context: RequestContext) async throws -> BodyResponse<HistoryBody> {
        let found = try await authenticator.requiredSession(of: context)
        let app = try apps.audience(for: context.query["app"])
        let identity = found.session.identityID
        try await found.change(in: database, at: context.now) { [limiter] transaction in
            try limiter.require([.history(identity)], at: context.now, in: transaction)
        }
        let charged = try await PurchaseRepository.charged(
            to: identity,
            limit: Self.mostPurchases,
            in: database
        )
        let claims = HistoryClaims(
            iss: issuer,
            sub: identity.description,
            aud: app,
            iat: context.now.seconds,
            exp: (context.now + Self.lifespan).seconds,
            jti: Base64URL.encode(random.bytes(16)),
            purchases: charged.reversed().map(\.claim)
        )
        let history = try await sign(JSONCoding.encode(claims), HistoryBody.tokenType, context.now)
        return .ok(HistoryBody(history: history.exposed))
    }
}

extension Purchase {
    /// The purchase as it appears in the history.
    fileprivate var claim: HistoryClaims.Purchase {
        HistoryClaims.Purchase(
            transactionID: id.description,
            productID: productID,
            quantity: quantity,
            price: MoneyBody(price),
            countryCode: region.code,
            state: state.state,
            purchasedAt: (purchasedAt ?? updatedAt).description,
            refundedAt: refundedAt?.description
        )
    }
}
