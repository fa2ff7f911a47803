import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The endpoints that return the storefront and its products.
///
/// A session isn't required.
struct StorefrontEndpoints: Sendable {
    /// The maximum number of product ids in one request.
    private static let mostIDs = 100

    let catalog: ProductCatalog
    let authenticator: SessionAuthenticator

    /// The endpoints for the storefront and its products.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.Commerce.storefront,
                accepts: .session(SessionCredentials(.optional, accessTokens: .scope(.purchases))),
                operation: .getStorefront,
                returning: StorefrontBody.self,
                answer: storefront
            ),
            Endpoint(
                .get,
                Route.Commerce.products,
                accepts: .session(SessionCredentials(.optional, accessTokens: .scope(.purchases))),
                operation: .listProducts,
                returning: ProductsBody.self,
                answer: products
            ),
        ]
    }

    /// Handles `GET /commerce/storefront`.
    private func storefront(_ context: RequestContext) async throws -> BodyResponse<StorefrontBody> {
        .ok(try await storefront(for: context).body)
    }

    /// Handles `GET /commerce/products`.
    ///
    /// The response only contains products of the client's storefront, so prices in other storefronts are not
    /// revealed.
    private func products(_ context: RequestContext) async throws -> BodyResponse<ProductsBody> {
        let ids = context.query.values("id")
        guard ids.count <= Self.mostIDs else {
            throw ServerError.malformed("A request can contain at most \(Self.mostIDs) ids.")
        }
        let storefront = try await storefront(for: context)
        let ranges = LanguageRanges(of: context)
        var listed: Set<String> = []
        let wanted = ids.isEmpty ? catalog.products.map(\.id) : ids.filter { listed.insert($0).inserted }
        var products: [ProductsBody.Product] = []
        var unknown: [String] = []
        for id in wanted {
            guard let (product, price) = catalog.product(id, in: storefront) else {
                if !ids.isEmpty { unknown.append(id) }
                continue
            }
            let text = product.text(for: ranges, default: catalog.defaultLanguage)
            products.append(
                ProductsBody.Product(
                    id: product.id,
                    title: text.title,
                    description: text.description,
                    kind: product.kind,
                    price: MoneyBody(price)
                )
            )
        }
        return .ok(ProductsBody(storefront: storefront.body, products: products, unknownIDs: unknown))
    }

    private func storefront(for context: RequestContext) async throws -> Storefront {
        guard let found = try await authenticator.session(of: context) else {
            return catalog.storefront(guessedFrom: LanguageRanges(of: context))
        }
        return catalog.storefront(of: found.identity.region)
    }
}
