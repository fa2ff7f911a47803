import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The route that returns the signed purchase history of the account.
struct HistoryEndpoints: Sendable {
    /// The time from the signature to the expiry.
    static let lifespan: Duration = .seconds(3600)

    /// The maximum number of purchases; older ones are omitted.
    private static let mostPurchases = 1000

    /// The maximum length of the app's id in bytes.
    private static let appLimit = 128

    /// The issuer of the history, which is the URL of the server.
    let issuer: String
    let sign: HistorySigner
    let lock: AccountLock
    let random: any RandomSource

    /// The route that this type handles.
    var endpoints: [Endpoint] {
        [Endpoint(.get, Route.Commerce.history, operation: .getPurchaseHistory, answer: history)]
    }

    /// Handles `GET /commerce/history`.
    ///
    /// The app's id is the audience, so the back end of another app rejects the history. The type in the header
    /// distinguishes the history from access tokens, which are signed with the same keys.
    private func history(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await lock.session(of: context)
        guard
            let app = context.query["app"], (1...Self.appLimit).contains(app.utf8.count),
            app.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ServerError.malformed(
                "The query parameter app must have 1 to \(Self.appLimit) visible ASCII characters."
            )
        }
        let identity = found.session.identityID
        try await lock.change(for: found, in: context, counting: [.history(identity)]) { _ in }
        let charged = try await PurchaseRepository.charged(
            to: identity,
            limit: Self.mostPurchases,
            in: lock.database
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
        return try .json(200, HistoryBody(history: history.exposed))
    }
}

extension Purchase {
    /// The purchase as the history contains it.
    fileprivate var claim: HistoryClaims.Purchase {
        HistoryClaims.Purchase(
            transactionID: id.description,
            productID: productID,
            quantity: quantity,
            price: price.body,
            countryCode: region.code,
            state: state.state,
            purchasedAt: (purchasedAt ?? updatedAt).description,
            refundedAt: refundedAt?.description
        )
    }
}
