import Latchkey
import LatchkeyCompat
import LatchkeyPurchases

/// The error returned by an ``OnsideSignedInAppsHistoryRequest``.
public enum OnsideHistoryError: Error, Hashable, Sendable {
    /// No user is logged in. The request doesn't present a login in this case.
    case notLoggedIn
    /// ``Onside/initialize(configuration:)`` was not called.
    case notInitialized
    /// The server could not be reached or returned a server error. The associated value describes why.
    case network(String)
    /// The server rejected the request. The associated value describes why.
    case rejected(String)
}

extension OnsideHistoryError {
    init(_ error: PurchaseError) {
        switch error.code {
        case .loginRequired: self = .notLoggedIn
        case .unavailable, .cancelled: self = .network(error.message)
        default: self = .rejected(error.message)
        }
    }
}

/// A request for the account's purchases as a signed document.
///
/// The document is a JSON Web Signature (RFC 7515, ES256) in compact form. The app's own server verifies the
/// signature with the keys published at `/.well-known/jwks.json`. The request never presents a login.
public final class OnsideSignedInAppsHistoryRequest: Sendable {
    init() {}

    /// Sends the request.
    ///
    /// - Parameter completion: Called once, on the main actor, with the signed document or an error.
    @MainActor public func start(
        completion: @escaping @MainActor (Result<String, OnsideHistoryError>) -> Void
    ) {
        guard let runtime = Onside.runtime else {
            Onside.logMissingInitialization("makeSignedInAppsHistoryRequest")
            return Onside.defaultPaymentQueue().complete(completion, with: .failure(.notInitialized))
        }
        runtime.requestHistory(completion: completion)
    }
}
