import Latchkey
import LatchkeyCompat
import LatchkeyPurchases

/// The response to an ``OnsideProductsRequest``.
public struct OnsideProductsResponse: Hashable, Sendable {
    /// The products, in catalog order.
    public let products: [OnsideProduct]

    /// The identifiers of products that are not sold in the storefront.
    public let invalidProductIdentifiers: [String]

    /// The storefront that the prices apply to.
    public let storefront: OnsideStorefront

    /// Whether the region was guessed because no user is logged in.
    ///
    /// If `true`, request the products again after a login.
    public let isGuess: Bool
}

/// An object that receives the result of an ``OnsideProductsRequest``.
@MainActor public protocol OnsideProductsRequestDelegate: AnyObject {
    /// Called when the products were received.
    func onsideProductsRequest(_ request: OnsideProductsRequest, didReceive response: OnsideProductsResponse)

    /// Called when the request failed. The default implementation has no effect.
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

/// A request for products.
///
/// The request does not need an account and never presents a login.
///
/// Without a session, the region is guessed from the user's languages. The request is retained until it
/// completes.
@MainActor public final class OnsideProductsRequest {
    /// The object that receives the result.
    ///
    /// The request keeps only a weak reference to the delegate.
    public weak var delegate: (any OnsideProductsRequestDelegate)?

    private let identifiers: Set<String>
    private var isStarted = false
    private var isCancelled = false

    /// Creates a request.
    ///
    /// - Parameter productIdentifiers: The identifiers of at most 100 products. An empty set requests all
    ///   products.
    public init(productIdentifiers: Set<String> = []) {
        identifiers = productIdentifiers
    }

    /// Sends the request.
    ///
    /// Has no effect if the request has already been sent.
    ///
    /// - Parameter completion: Called once, on the main actor, after the delegate has been notified. The
    ///   closure is not called after ``cancel()``.
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

    /// Cancels the request.
    ///
    /// Neither the delegate nor the completion handler is called.
    public func cancel() {
        isCancelled = true
    }
}
