/// The kinds of failure that callers can tell apart.
extension LatchkeyError {
    /// The kind of a failure.
    ///
    /// Minor releases may add new kinds.
    public struct Code: Hashable, Sendable {
        private enum Kind: String, CaseIterable {
            case cancelled
            case signedOut
            case superseded
            case sessionEnded
            case sessionRequired
            case invalidInput
            case dismissed
            case dutyRequired
            case noPresenter
            case originNotAllowed
            case invalidCredentials
            case accountExists
            case accountNotFound
            case accountDisabled
            case schemaMismatch
            case accountCreated
            case phoneInvalid
            case phoneNotVerified
            case addressNotVerified
            case deliveryFailed
            case codeInvalid
            case codeExpired
            case codeUsed
            case codeAttemptsExhausted
            case anotherCodeSent
            case flowExpired
            case flowUnknown
            case flowDisabled
            case reauthenticationRequired
            case identityMismatch
            case tooManyRequests
            case certificateRequired
            case unreachable
            case timedOut
            case untrusted
            case serverFailed
            case refused
            case invalidResponse
            case storageUnavailable
            case storageFailed
            case deviceKeyFailed, proofRejected
        }

        private let kind: Kind

        /// All error codes, which the tests use to cover every kind of failure.
        package static let all = Kind.allCases.map { Code(kind: $0) }

        /// The caller's task was cancelled.
        ///
        /// See ``LatchkeyError/isCancellation``.
        public static let cancelled = Code(kind: .cancelled)

        /// No user is logged in on this device, or the user signed out during the call.
        public static let signedOut = Code(kind: .signedOut)

        /// Another login or sign-up was started on this device during the call and replaced this one.
        public static let superseded = Code(kind: .superseded)

        /// The server ended the session.
        ///
        /// The user has to log in again.
        public static let sessionEnded = Code(kind: .sessionEnded)

        /// The call needs a session of the identity server, but the user has logged in at another OpenID provider.
        public static let sessionRequired = Code(kind: .sessionRequired)

        /// An input value is invalid.
        ///
        /// ``LatchkeyError/fields`` contains the names of the invalid inputs.
        public static let invalidInput = Code(kind: .invalidInput)

        /// The user dismissed the login that was presented for this call.
        public static let dismissed = Code(kind: .dismissed)

        /// The user is logged in, but still has to complete a step, such as verifying an address.
        ///
        /// If the server requires the step for a request, the request was not applied and can be repeated
        /// after the step is completed. See ``ServerRefusal/duty``.
        public static let dutyRequired = Code(kind: .dutyRequired)

        /// The call requires a login, but the app has not set a presenter, or there is no program that can open a page.
        public static let noPresenter = Code(kind: .noPresenter)

        /// The request was not sent because its origin is not one of the origins that may receive
        /// credentials.
        public static let originNotAllowed = Code(kind: .originNotAllowed)

        /// The identifier or the password is incorrect.
        public static let invalidCredentials = Code(kind: .invalidCredentials)

        /// An account with this phone number or address already exists.
        ///
        /// The user should log in instead.
        public static let accountExists = Code(kind: .accountExists)

        /// There is no account that can log in with a code sent to this address.
        ///
        /// Not every server reveals whether an account exists.
        public static let accountNotFound = Code(kind: .accountNotFound)

        /// The account is disabled.
        public static let accountDisabled = Code(kind: .accountDisabled)

        /// The account has a different identity schema from the one that the caller requires.
        public static let schemaMismatch = Code(kind: .schemaMismatch)

        /// The account was created, but this device could not complete the login.
        ///
        /// The user has to log in again.
        ///
        /// ``LatchkeyError/cause`` is the ``LatchkeyError`` that caused the login to fail.
        public static let accountCreated = Code(kind: .accountCreated)

        /// The value is not a valid phone number.
        public static let phoneInvalid = Code(kind: .phoneInvalid)

        /// The phone number has not been verified during this sign-up.
        public static let phoneNotVerified = Code(kind: .phoneNotVerified)

        /// One of the account's addresses must be verified first.
        public static let addressNotVerified = Code(kind: .addressNotVerified)

        /// The code could not be delivered to the phone number.
        public static let deliveryFailed = Code(kind: .deliveryFailed)

        /// The code is incorrect.
        public static let codeInvalid = Code(kind: .codeInvalid)

        /// The code has expired.
        ///
        /// The user should request a new code.
        public static let codeExpired = Code(kind: .codeExpired)

        /// The code has already been used.
        ///
        /// The user should request a new code.
        public static let codeUsed = Code(kind: .codeUsed)

        /// An incorrect code was entered too many times.
        ///
        /// The user should request a new code.
        public static let codeAttemptsExhausted = Code(kind: .codeAttemptsExhausted)

        /// The code was correct, but the user has to enter another one.
        ///
        /// If the address belongs to an existing account, the server sent a code that logs the user in. If
        /// another account claims one of the other addresses, the server sent a code to that address.
        public static let anotherCodeSent = Code(kind: .anotherCodeSent)

        /// The sign-up has expired or has already been completed.
        ///
        /// Start a new sign-up.
        public static let flowExpired = Code(kind: .flowExpired)

        /// The server doesn't recognize this sign-up or login flow.
        ///
        /// Start a new flow.
        public static let flowUnknown = Code(kind: .flowUnknown)

        /// The operator has disabled this kind of flow, such as registration.
        public static let flowDisabled = Code(kind: .flowDisabled)

        /// This change requires a more recent authentication.
        ///
        /// Ask the user to authenticate again, then repeat the call.
        public static let reauthenticationRequired = Code(kind: .reauthenticationRequired)

        /// The flow or the credentials belong to a different account than the session.
        public static let identityMismatch = Code(kind: .identityMismatch)

        /// There were too many attempts.
        ///
        /// ``LatchkeyError/retry`` specifies how long to wait.
        public static let tooManyRequests = Code(kind: .tooManyRequests)

        /// The server requires a certificate for this device.
        ///
        /// The user has to log in again to obtain a certificate.
        public static let certificateRequired = Code(kind: .certificateRequired)

        /// The server could not be reached, or the connection was lost.
        public static let unreachable = Code(kind: .unreachable)

        /// The server did not respond in time.
        public static let timedOut = Code(kind: .timedOut)

        /// The server's identity could not be verified.
        public static let untrusted = Code(kind: .untrusted)

        /// An internal server error occurred (status 5xx).
        public static let serverFailed = Code(kind: .serverFailed)

        /// The server rejected the request for a reason that isn't covered by another code.
        ///
        /// See ``ServerRefusal`` for details.
        public static let refused = Code(kind: .refused)

        /// The server's response is larger than the limit or doesn't have the expected format.
        ///
        /// By default, responses are limited to 1 MiB. Pass `RequestLimits` to receive larger ones.
        public static let invalidResponse = Code(kind: .invalidResponse)

        /// The store can't be read at the moment, so it's unknown whether a user is logged in, and the
        /// session can't be changed.
        public static let storageUnavailable = Code(kind: .storageUnavailable)

        /// Reading from or writing to the store failed.
        public static let storageFailed = Code(kind: .storageFailed)

        /// A server rejected the proof that this device possesses its key, most likely because the device's clock is
        /// wrong.
        public static let proofRejected = Code(kind: .proofRejected)

        /// The device key could not be created, restored or used.
        ///
        /// ``LatchkeyError/retry`` is `later` if the key is only unavailable at the moment.
        /// ``LatchkeyError/cause`` is the ``DeviceKeyError``.
        public static let deviceKeyFailed = Code(kind: .deviceKeyFailed)
    }
}

extension LatchkeyError.Code: CustomStringConvertible {
    /// The name of this kind of failure.
    public var description: String { kind.rawValue }
}
