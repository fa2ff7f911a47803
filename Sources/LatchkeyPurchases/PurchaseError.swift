public import Latchkey
import LatchkeyWire

/// An error thrown by ``Purchases``.
public struct PurchaseError: Error, Sendable {
    /// A kind of error.
    ///
    /// New kinds may be added in minor releases.
    public struct Code: Hashable, Sendable {
        private enum Kind: String {
            case loginRequired, verificationRequired, reauthenticationRequired, deviceTooNew,
                productUnavailable, priceChanged, alreadyPurchased, purchasePending
            case paymentMethodRequired, cardNotAccepted, tooManyPaymentMethods, tooManyUnfinished,
                transactionPending, notFound, outcomeUnknown
            case unavailable, storage, cancelled, refused
        }

        private let kind: Kind

        /// There is no session because the user dismissed the login or one of its steps, or logged out, or because
        /// no login could be presented.
        ///
        /// To find out why there is no session, check the error code of ``PurchaseError/cause``.
        public static let loginRequired = Code(kind: .loginRequired)

        /// The account's user must verify an address before the account can spend money.
        ///
        /// The app has not set a presenter, or the user dismissed the verification. No order was placed.
        public static let verificationRequired = Code(kind: .verificationRequired)

        /// The server requires a recent login, or a device that was added to the account at least a day ago.
        ///
        /// No order was placed.
        public static let reauthenticationRequired = Code(kind: .reauthenticationRequired)

        /// The order requires a device that was added to the account at least a day ago.
        ///
        /// No order was placed, and a login wouldn't help. The user can place it on another device, or on this
        /// one a day after the login.
        public static let deviceTooNew = Code(kind: .deviceTooNew)

        /// The product is not sold in the storefront.
        public static let productUnavailable = Code(kind: .productUnavailable)

        /// The price differs from the one that was shown to the user.
        ///
        /// Request the products again and show the new price to the user.
        public static let priceChanged = Code(kind: .priceChanged)

        /// The account already owns this non-consumable product.
        ///
        /// Restore the existing purchase instead of buying the product again.
        public static let alreadyPurchased = Code(kind: .alreadyPurchased)

        /// Another payment for this non-consumable product is in progress.
        public static let purchasePending = Code(kind: .purchasePending)

        /// The account has no payment method, or the specified payment method does not exist.
        public static let paymentMethodRequired = Code(kind: .paymentMethodRequired)

        /// The card number is not one of the sandbox cards that the server accepts.
        public static let cardNotAccepted = Code(kind: .cardNotAccepted)

        /// The account has reached the maximum number of payment methods.
        public static let tooManyPaymentMethods = Code(kind: .tooManyPaymentMethods)

        /// This device has reached the maximum number of orders whose outcome is unknown.
        public static let tooManyUnfinished = Code(kind: .tooManyUnfinished)

        /// The transaction cannot be finished yet because its payment has not completed.
        public static let transactionPending = Code(kind: .transactionPending)

        /// The account has no transaction or payment method with this identifier.
        public static let notFound = Code(kind: .notFound)

        /// The server's response to an order was lost.
        ///
        /// The order is sent again with the same idempotency key, so it is charged at most once. The order's
        /// transaction is delivered through ``Purchases/updates`` when the outcome is known, at the latest
        /// after the app starts again.
        public static let outcomeUnknown = Code(kind: .outcomeUnknown)

        /// The server could not be reached, returned a server error or a response in another format, or received too
        /// many requests.
        ///
        /// Try again later.
        public static let unavailable = Code(kind: .unavailable)

        /// The order was not sent because it could not be stored on this device.
        public static let storage = Code(kind: .storage)

        /// The calling task was cancelled.
        public static let cancelled = Code(kind: .cancelled)

        /// The server rejected the request for another reason.
        ///
        /// See ``PurchaseError/cause``.
        public static let refused = Code(kind: .refused)
    }

    /// The kind of error.
    public let code: Code

    /// A message for developers.
    ///
    /// If the message came from the server, it may also be suitable for users.
    public let message: String

    /// Whether and when it makes sense to repeat the call.
    public let retry: LatchkeyError.Retry

    /// The underlying error of the request or the login, or `nil` if the error originated in this module.
    public let cause: LatchkeyError?

    /// Creates an error.
    init(
        _ code: Code,
        message: String,
        retry: LatchkeyError.Retry = .never,
        cause: LatchkeyError? = nil
    ) {
        (self.code, self.message, self.retry, self.cause) = (code, message, retry, cause)
    }
}

extension PurchaseError: CustomStringConvertible {
    /// A description that contains the code and the message.
    public var description: String { "\(code): \(message)" }
}

extension PurchaseError.Code: CustomStringConvertible {
    /// The name of the kind.
    public var description: String { kind.rawValue }
}

extension PurchaseError {
    /// Creates a purchase error from an error that a request or a login has thrown.
    init(_ error: LatchkeyError) {
        let code = Self.code(of: error)
        let retry = code == .unavailable && error.retry == .never ? .later : error.retry
        self.init(code, message: error.message, retry: retry, cause: error)
    }

    /// Creates an error from an error thrown by `withSession`.
    init(_ error: any Error) {
        switch error {
        case let error as PurchaseError: self = error
        case let error as LatchkeyError: self.init(error)
        case is CancellationError: self.init(.cancelled, message: "The call was cancelled.")
        default: self.init(.refused, message: "\(error)")
        }
    }

    /// Maps the server's error IDs to error codes.
    private static let byID: [ErrorID: Code] = [
        .dutyRequired: .verificationRequired,
        .sessionRefreshRequired: .reauthenticationRequired,
        .deviceTooNew: .deviceTooNew,
        .productUnavailable: .productUnavailable,
        .priceChanged: .priceChanged,
        .alreadyPurchased: .alreadyPurchased,
        .purchasePending: .purchasePending,
        .paymentMethodRequired: .paymentMethodRequired,
        .cardNotAccepted: .cardNotAccepted,
        .tooManyPaymentMethods: .tooManyPaymentMethods,
        .transactionPending: .transactionPending,
        .notFound: .notFound,
    ]

    private static func code(of error: LatchkeyError) -> Code {
        if error.cause is ImpossibleID { return .notFound }
        let refusal = error.cause as? ServerRefusal
        if let id = refusal?.id, let code = byID[ErrorID(rawValue: id)] { return code }
        // A gateway can send errors in the server's format, but without an id.
        if refusal?.status == 404, refusal?.id == nil { return .unavailable }
        return switch error.code {
        // A step that the server requires for the request has an id. Other steps belong to the login.
        case .dismissed, .signedOut, .sessionEnded, .noPresenter, .superseded, .dutyRequired: .loginRequired
        case .unreachable, .timedOut, .untrusted, .serverFailed, .tooManyRequests, .invalidResponse:
            .unavailable
        case .storageFailed, .storageUnavailable: .storage
        case .cancelled: .cancelled
        default: .refused
        }
    }
}

extension LatchkeyError {
    /// Whether the server may have processed a request that failed with this error.
    var leavesOutcomeUnknown: Bool {
        if let error = cause as? TransportError { return !error.neverSent && error.code != .invalidRequest }
        if cause is UnrecognizedResponse { return true }
        // A gateway can send errors in the server's format, but without an id or with one of its own.
        if let refusal = cause as? ServerRefusal {
            guard let id = refusal.id else { return code != .sessionEnded }
            return refusal.status >= 500 || !ErrorID.orderRequestRefusals.contains(ErrorID(rawValue: id))
        }
        return switch code {
        case .cancelled, .serverFailed, .invalidResponse, .timedOut, .unreachable: true
        default: false
        }
    }

    /// Whether the action failed because the user is no longer logged in.
    ///
    /// The action can be tried again after the user logs in.
    var concernsSession: Bool { code == .signedOut || code == .sessionEnded }
}
