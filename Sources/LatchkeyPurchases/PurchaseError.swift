public import Latchkey
import LatchkeyWire

/// An error of a function of ``Purchases``.
public struct PurchaseError: Error, Sendable {
    /// A kind of failure; new kinds may be added in a minor release.
    public struct Code: Hashable, Sendable {
        private enum Kind: String {
            case loginRequired, productUnavailable, priceChanged, alreadyPurchased, purchasePending
            case paymentMethodRequired, cardNotAccepted, tooManyPaymentMethods, tooManyUnfinished, transactionPending, notFound, outcomeUnknown
            case unavailable, storage, cancelled, refused
        }

        private let kind: Kind

        /// There is no session: the user dismissed the login, signed out, or no login could be presented.
        ///
        /// The reason is the code of ``PurchaseError/cause``.
        public static let loginRequired = Code(kind: .loginRequired)

        /// The product is not sold at the storefront.
        public static let productUnavailable = Code(kind: .productUnavailable)

        /// The price differs from the one that the user has seen; request the products again.
        public static let priceChanged = Code(kind: .priceChanged)

        /// The account owns the product, which is bought once; restore the purchase.
        public static let alreadyPurchased = Code(kind: .alreadyPurchased)

        /// The product is bought once, and another payment for it is in progress.
        public static let purchasePending = Code(kind: .purchasePending)

        /// The account has no payment method, or not the given one.
        public static let paymentMethodRequired = Code(kind: .paymentMethodRequired)

        /// The number is not one of the sandbox cards that the server accepts.
        public static let cardNotAccepted = Code(kind: .cardNotAccepted)

        /// The account already has the maximum number of payment methods.
        public static let tooManyPaymentMethods = Code(kind: .tooManyPaymentMethods)

        /// This device already stores the maximum number of orders without a known outcome.
        public static let tooManyUnfinished = Code(kind: .tooManyUnfinished)

        /// The transaction cannot be finished before its payment is completed.
        public static let transactionPending = Code(kind: .transactionPending)

        /// The account has no such transaction or payment method.
        public static let notFound = Code(kind: .notFound)

        /// The server's answer to an order was lost.
        ///
        /// The order is repeated with the same idempotency key, and is therefore charged at most once. Its
        /// transaction arrives in ``Purchases/updates``, at the latest when the app starts again.
        public static let outcomeUnknown = Code(kind: .outcomeUnknown)

        /// The server could not be reached or failed, or there were too many requests; try again later.
        public static let unavailable = Code(kind: .unavailable)

        /// This device could not store the order, which was therefore not sent.
        public static let storage = Code(kind: .storage)

        /// The caller's task was cancelled.
        public static let cancelled = Code(kind: .cancelled)

        /// The server rejected the request for another reason; see ``PurchaseError/cause``.
        public static let refused = Code(kind: .refused)
    }

    /// The kind of failure.
    public let code: Code

    /// The message, for developers; texts of the server may be suitable for users.
    public let message: String

    /// Advice on repeating the call.
    public let retry: LatchkeyError.Retry

    /// The error of the request or of the login; `nil` for errors that arise in this module.
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
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

extension PurchaseError.Code: CustomStringConvertible {
    /// The name of the kind.
    public var description: String { kind.rawValue }
}

extension PurchaseError {
    /// Creates an error from that of a request or of a login.
    init(_ error: LatchkeyError) {
        self.init(Self.code(of: error), message: error.message, retry: error.retry, cause: error)
    }

    /// Creates an error from one that `withSession` throws.
    init(_ error: any Error) {
        switch error {
        case let error as PurchaseError: self = error
        case let error as LatchkeyError: self.init(error)
        default: self.init(.refused, message: "\(error)")
        }
    }

    /// The server's identifiers of refusals.
    private static let byID: [ErrorID: Code] = [
        .productUnavailable: .productUnavailable,
        .priceChanged: .priceChanged,
        .alreadyPurchased: .alreadyPurchased,
        .purchasePending: .purchasePending,
        .paymentMethodRequired: .paymentMethodRequired,
        .cardNotAccepted: .cardNotAccepted,
        .tooManyPaymentMethods: .tooManyPaymentMethods,
        .transactionPending: .transactionPending,
    ]

    private static func code(of error: LatchkeyError) -> Code {
        let refusal = error.cause as? ServerRefusal
        if let id = refusal?.id, let code = byID[ErrorID(rawValue: id)] { return code }
        if refusal?.status == 404 { return .notFound }
        return switch error.code {
        case .dismissed, .signedOut, .sessionEnded, .noPresenter, .dutyOpen, .superseded: .loginRequired
        case .unreachable, .timedOut, .serverFailed, .tooManyRequests: .unavailable
        case .storageFailed, .storageUnavailable: .storage
        case .cancelled: .cancelled
        default: .refused
        }
    }
}

extension LatchkeyError {
    /// Whether a request that failed with this error may have been processed by the server.
    var leavesOutcomeUnknown: Bool {
        if let error = cause as? TransportError { return !error.neverSent && error.code != .invalidRequest }
        return switch code {
        case .cancelled, .serverFailed, .invalidAnswer, .timedOut, .unreachable: true
        default: false
        }
    }

    /// Whether the session ended, so that an action may run again after another login.
    var concernsSession: Bool { code == .signedOut || code == .sessionEnded }
}
