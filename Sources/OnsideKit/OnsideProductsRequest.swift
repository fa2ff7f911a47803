import Latchkey
import LatchkeyCompat
import LatchkeyPurchases

/// The answer to an ``OnsideProductsRequest``.
public struct OnsideProductsResponse: Hashable, Sendable {
    /// The products, in the order of the catalogue.
    public let products: [OnsideProduct]

    /// The identifiers of products that are not sold at the storefront.
    public let invalidProductIdentifiers: [String]

    /// The storefront that the prices are for.
    public let storefront: OnsideStorefront

    /// Whether the region is a guess, because no user is logged in: request the products again after a login.
    public let isGuess: Bool
}

/// A delegate of an ``OnsideProductsRequest``.
@MainActor public protocol OnsideProductsRequestDelegate: AnyObject {
    /// Called with the products.
    func onsideProductsRequest(_ request: OnsideProductsRequest, didReceive response: OnsideProductsResponse)

    /// Called if the request failed; the default implementation has no effect.
    func onsideProductsRequest(
        _ request: OnsideProductsRequest,
        didFailWithError error: OnsidePaymentQueueError
    )
}

extension OnsideProductsRequestDelegate {
    /// Ignores the error.
    public func onsideProductsRequest(
        _ request: OnsideProductsRequest,
        didFailWithError error: OnsidePaymentQueueError
    ) {}
}

/// A request for products; it needs no account and never presents a login.
///
/// Without a session, the region is a guess from the user's languages. The request is retained until it has ended.
@MainActor public final class OnsideProductsRequest {
    /// The delegate, which is held weakly.
    public weak var delegate: (any OnsideProductsRequestDelegate)?

    private let identifiers: Set<String>
    private var isStarted = false
    private var isCancelled = false

    /// Creates a request.
    ///
    /// - Parameter productIdentifiers: The identifiers of at most 100 products; an empty set requests all products.
    public init(productIdentifiers: Set<String> = []) {
        identifiers = productIdentifiers
    }

    /// Sends the request; has no effect if it was sent before.
    ///
    /// - Parameter completion: Called once, on the main actor, after the delegate; not called after ``cancel()``.
    public func start(
        completion: (@MainActor (Result<OnsideProductsResponse, OnsidePaymentQueueError>) -> Void)? = nil
    ) {
        guard !isStarted else { return }
        isStarted = true
        let end: @MainActor (Result<OnsideProductsResponse, OnsidePaymentQueueError>) -> Void = { result in
            guard !self.isCancelled else { return }
            switch result {
            case .success(let response): self.delegate?.onsideProductsRequest(self, didReceive: response)
            case .failure(let error): self.delegate?.onsideProductsRequest(self, didFailWithError: error)
            }
            completion?(result)
        }
        guard let runtime = Onside.runtime else {
            Onside.logMissingInitialization("OnsideProductsRequest.start")
            return Onside.defaultPaymentQueue().complete(end, with: .failure(.notInitialized))
        }
        runtime.requestProducts(identifiers.sorted(), completion: end)
    }

    /// Cancels the request: neither the delegate nor the completion is called.
    public func cancel() {
        isCancelled = true
    }
}
