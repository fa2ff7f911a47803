import Latchkey
import LatchkeyCompat
import LatchkeyPurchases

/// The error of an ``OnsideSignedInAppsHistoryRequest``.
public enum OnsideHistoryError: Error, Hashable, Sendable {
    /// There is no session; the request does not present a login.
    case notLoggedIn
    /// ``Onside/initialize(configuration:)`` was not called.
    case notInitialized
    /// The server could not be reached or failed; the associated value is the reason.
    case network(String)
    /// The server rejected the request; the associated value is the reason.
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

/// A request for the purchases of the account as a signed document.
///
/// The document is a JSON Web Signature (RFC 7515, ES256) in compact form, which the app's own server verifies with the
/// keys at `/.well-known/jwks.json`. It never presents a login.
public final class OnsideSignedInAppsHistoryRequest: Sendable {
    init() {}

    /// Sends the request.
    ///
    /// - Parameter completion: Called once, on the main actor, with the signed document.
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
