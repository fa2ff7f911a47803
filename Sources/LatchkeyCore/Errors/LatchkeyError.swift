/// The outcome of a call that did not succeed.
public struct LatchkeyError: Error, Sendable {
    /// What went wrong, in terms that a caller can branch on.
    public var code: Code

    /// What went wrong, in a sentence for a developer.
    ///
    /// Holds no password, code, token or key.
    public var message: String

    /// What to show beside which input; empty when no input is to blame.
    public var fields: [Field]

    /// Whether this device is still logged in.
    public var sessionHolds: Bool

    /// Whether and when the same call may succeed.
    public var retry: Retry

    /// The error that led to this one: a ``ServerRefusal``, a ``TransportError``, a ``SessionStoreError`` and so on.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: A sentence for a developer.
    ///   - fields: What to show beside which input.
    ///   - sessionHolds: Whether this device is still logged in.
    ///   - retry: Whether and when the same call may succeed.
    ///   - cause: The error that led to this one.
    public init(
        _ code: Code,
        _ message: String,
        fields: [Field] = [],
        sessionHolds: Bool = false,
        retry: Retry = .never,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.fields = fields
        self.sessionHolds = sessionHolds
        self.retry = retry
        self.cause = cause
    }
}

extension LatchkeyError {
    /// A message that belongs beside one input.
    public struct Field: Hashable, Sendable {
        /// The name of the input as the server knows it, such as `traits.phone` or `password`.
        public var name: String

        /// What to tell the person.
        public var message: String

        /// Creates a message.
        ///
        /// - Parameters:
        ///   - name: The name of the input.
        ///   - message: What to tell the person.
        public init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }

    /// Whether and when the same call may succeed.
    public enum Retry: Hashable, Sendable {
        /// Not without a change of what is sent.
        case never
        /// At any time, for instance when the network is back.
        case later
        /// Not before so much time has passed.
        case after(Duration)
    }
}

extension LatchkeyError: CustomStringConvertible {
    /// The code and the message, without the cause.
    public var description: String { "\(code): \(message)" }
}
