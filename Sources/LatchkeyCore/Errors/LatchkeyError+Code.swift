/// The kinds of failure that callers can distinguish.
extension LatchkeyError {
    /// A kind of failure.
    ///
    /// New kinds may be added in a minor release.
    public struct Code: Hashable, Sendable {
        private enum Kind: String, CaseIterable {
            case cancelled
            case signedOut
            case superseded
            case sessionEnded
            case invalidInput
            case dismissed
            case dutyOpen
            case noPresenter
            case originNotAllowed
            case invalidCredentials
            case accountExists
            case accountNotFound
            case accountDisabled
            case accountOfAnotherKind
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
            case invalidAnswer
            case storageUnavailable
            case storageFailed
            case deviceKeyFailed
        }

        private let kind: Kind

        /// All kinds, for tests that cover each of them.
        package static let all = Kind.allCases.map { Code(kind: $0) }

        /// The caller's task was cancelled; see ``LatchkeyError/isCancellation``.
        public static let cancelled = Code(kind: .cancelled)

        /// No user is logged in on this device, or the user signed out during the call.
        public static let signedOut = Code(kind: .signedOut)

        /// A newer login or sign-up was started on this device during the call and replaced this one.
        public static let superseded = Code(kind: .superseded)

        /// The server ended the session; the user has to log in again.
        public static let sessionEnded = Code(kind: .sessionEnded)

        /// An input is invalid; ``LatchkeyError/fields`` identifies it.
        public static let invalidInput = Code(kind: .invalidInput)

        /// The user dismissed the login that was presented for the call.
        public static let dismissed = Code(kind: .dismissed)

        /// The user is logged in, but has not fulfilled a duty, such as verifying an address.
        public static let dutyOpen = Code(kind: .dutyOpen)

        /// A login would have to be presented, but the app has set no presenter.
        public static let noPresenter = Code(kind: .noPresenter)

        /// The origin is not on the app's list of origins that may receive credentials; no request was sent.
        public static let originNotAllowed = Code(kind: .originNotAllowed)

        /// The identifier and the password do not match an account.
        public static let invalidCredentials = Code(kind: .invalidCredentials)

        /// An account with this phone number or address already exists; log in instead.
        public static let accountExists = Code(kind: .accountExists)

        /// No account can log in with a code sent to this address; shown only if the server reveals it.
        public static let accountNotFound = Code(kind: .accountNotFound)

        /// The account is disabled.
        public static let accountDisabled = Code(kind: .accountDisabled)

        /// The account's identity schema is not the one that the caller requires.
        public static let accountOfAnotherKind = Code(kind: .accountOfAnotherKind)

        /// The account was created, but this device could not complete the login; log in to complete it.
        ///
        /// ``LatchkeyError/cause`` is the ``LatchkeyError`` with the reason.
        public static let accountCreated = Code(kind: .accountCreated)

        /// The text is not a valid phone number.
        public static let phoneInvalid = Code(kind: .phoneInvalid)

        /// The phone number has not been verified in this sign-up.
        public static let phoneNotVerified = Code(kind: .phoneNotVerified)

        /// An address of the account must be verified first.
        public static let addressNotVerified = Code(kind: .addressNotVerified)

        /// The code could not be delivered to the phone number.
        public static let deliveryFailed = Code(kind: .deliveryFailed)

        /// The code is incorrect.
        public static let codeInvalid = Code(kind: .codeInvalid)

        /// The code has expired; request another one.
        public static let codeExpired = Code(kind: .codeExpired)

        /// The code has already been used; request another one.
        public static let codeUsed = Code(kind: .codeUsed)

        /// There were too many attempts with wrong codes; request another code.
        public static let codeAttemptsExhausted = Code(kind: .codeAttemptsExhausted)

        /// The code was correct, but the address belongs to an existing account: another code was sent, which
        /// logs the user in.
        public static let anotherCodeSent = Code(kind: .anotherCodeSent)

        /// The sign-up has expired or was already completed; start a new one.
        public static let flowExpired = Code(kind: .flowExpired)

        /// The server does not know this sign-up or login flow; start a new one.
        public static let flowUnknown = Code(kind: .flowUnknown)

        /// The operator has disabled this flow, such as the registration of new accounts.
        public static let flowDisabled = Code(kind: .flowDisabled)

        /// The last authentication is too long ago for this change; re-authenticate, then repeat the call.
        public static let reauthenticationRequired = Code(kind: .reauthenticationRequired)

        /// The flow or the credentials belong to another account than the session.
        public static let identityMismatch = Code(kind: .identityMismatch)

        /// There were too many attempts; ``LatchkeyError/retry`` gives the time to wait.
        public static let tooManyRequests = Code(kind: .tooManyRequests)

        /// The server requires a certificate for this device; log in again to obtain one.
        public static let certificateRequired = Code(kind: .certificateRequired)

        /// The server could not be reached, or the connection was lost.
        public static let unreachable = Code(kind: .unreachable)

        /// The server did not answer in time.
        public static let timedOut = Code(kind: .timedOut)

        /// The server's identity could not be verified.
        public static let untrusted = Code(kind: .untrusted)

        /// The server failed internally (status 5xx).
        public static let serverFailed = Code(kind: .serverFailed)

        /// The server rejected the request for a reason that has no code of its own here; see
        /// ``ServerRefusal`` for details.
        public static let refused = Code(kind: .refused)

        /// The response does not conform to the server's contract.
        public static let invalidAnswer = Code(kind: .invalidAnswer)

        /// The store cannot currently be read, so the session can be neither determined nor changed.
        public static let storageUnavailable = Code(kind: .storageUnavailable)

        /// Reading from or writing to the store failed.
        public static let storageFailed = Code(kind: .storageFailed)

        /// The device's key could not be created, restored or used.
        public static let deviceKeyFailed = Code(kind: .deviceKeyFailed)
    }
}

extension LatchkeyError.Code: CustomStringConvertible {
    /// The name of the kind.
    public var description: String { kind.rawValue }
}
