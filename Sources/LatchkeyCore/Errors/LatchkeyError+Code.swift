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
            case originNotAllowed
            case invalidCredentials
            case accountExists
            case accountDisabled
            case accountOfAnotherKind
            case accountCreated
            case phoneInvalid
            case phoneNotVerified
            case deliveryFailed
            case codeInvalid
            case codeExpired
            case codeUsed
            case codeAttemptsExhausted
            case flowExpired
            case flowUnknown
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

        /// All kinds that there are, for tests that cover each of them.
        package static let all = Kind.allCases.map { Code(kind: $0) }

        /// The caller's task was cancelled.
        public static let cancelled = Code(kind: .cancelled)

        /// Nobody is logged in on this device, or somebody logged out while the call was under way.
        public static let signedOut = Code(kind: .signedOut)

        /// A newer login or sign-up was started on this device while the call was under way; the newest one counts.
        public static let superseded = Code(kind: .superseded)

        /// The server ended the session; the person has to log in again.
        public static let sessionEnded = Code(kind: .sessionEnded)

        /// An input cannot be right; ``LatchkeyError/fields`` says which.
        public static let invalidInput = Code(kind: .invalidInput)

        /// The app does not list the origin among those that credentials may be sent to; nothing was sent.
        public static let originNotAllowed = Code(kind: .originNotAllowed)

        /// The identifier and the password do not belong together.
        public static let invalidCredentials = Code(kind: .invalidCredentials)

        /// There is an account with this phone number or address already; log in instead.
        public static let accountExists = Code(kind: .accountExists)

        /// The account is closed.
        public static let accountDisabled = Code(kind: .accountDisabled)

        /// The account is of another kind than the caller asked for.
        public static let accountOfAnotherKind = Code(kind: .accountOfAnotherKind)

        /// The account was created, but this device could not finish the login; log in to finish it.
        ///
        /// ``LatchkeyError/cause`` is the ``LatchkeyError`` that says why.
        public static let accountCreated = Code(kind: .accountCreated)

        /// The text is no phone number that can be called.
        public static let phoneInvalid = Code(kind: .phoneInvalid)

        /// The phone number has not been verified in this sign-up.
        public static let phoneNotVerified = Code(kind: .phoneNotVerified)

        /// The code could not be delivered to the phone number.
        public static let deliveryFailed = Code(kind: .deliveryFailed)

        /// The code is wrong.
        public static let codeInvalid = Code(kind: .codeInvalid)

        /// The code is too old; ask for another.
        public static let codeExpired = Code(kind: .codeExpired)

        /// The code was used before; ask for another.
        public static let codeUsed = Code(kind: .codeUsed)

        /// The code was guessed at too often; ask for another.
        public static let codeAttemptsExhausted = Code(kind: .codeAttemptsExhausted)

        /// The sign-up took too long or is finished; begin again.
        public static let flowExpired = Code(kind: .flowExpired)

        /// The server does not know this sign-up or login; begin again.
        public static let flowUnknown = Code(kind: .flowUnknown)

        /// There were too many attempts; ``LatchkeyError/retry`` says when to try again.
        public static let tooManyRequests = Code(kind: .tooManyRequests)

        /// The server wants this device certified first; logging in again does that.
        public static let certificateRequired = Code(kind: .certificateRequired)

        /// The server could not be reached, or the connection broke.
        public static let unreachable = Code(kind: .unreachable)

        /// The server did not answer in time.
        public static let timedOut = Code(kind: .timedOut)

        /// The server could not prove who it is.
        public static let untrusted = Code(kind: .untrusted)

        /// The server has trouble of its own.
        public static let serverFailed = Code(kind: .serverFailed)

        /// The server refused, for a reason without a code of its own; ``ServerRefusal`` has the details.
        public static let refused = Code(kind: .refused)

        /// The answer is none that the contract knows.
        public static let invalidAnswer = Code(kind: .invalidAnswer)

        /// The store cannot be read now, so nothing about the session can be told or changed.
        public static let storageUnavailable = Code(kind: .storageUnavailable)

        /// The store did not do what it was asked.
        public static let storageFailed = Code(kind: .storageFailed)

        /// The device's key could not be made, found or used.
        public static let deviceKeyFailed = Code(kind: .deviceKeyFailed)
    }
}

extension LatchkeyError.Code: CustomStringConvertible {
    /// The name of the kind.
    public var description: String { kind.rawValue }
}
