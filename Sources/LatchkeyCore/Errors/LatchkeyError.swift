/// The error thrown by calls to Latchkey.
public struct LatchkeyError: Error, Sendable {
    /// The kind of failure, for callers to branch on.
    public var code: Code

    /// A one-sentence description of the failure, for developers.
    ///
    /// Contains no password, code, token or key.
    public var message: String

    /// The messages to show next to input fields; empty if no input caused the failure.
    public var fields: [Field]

    /// Whether a user is still logged in on this device.
    public var sessionHolds: Bool

    /// Whether and when the same call may succeed.
    public var retry: Retry

    /// The underlying error, such as a ``ServerRefusal``, a ``LatchkeyWire/TransportError`` or a
    /// ``SessionStoreError``.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: A sentence for developers, without secrets.
    ///   - fields: The messages to show next to input fields.
    ///   - sessionHolds: Whether a user is still logged in on this device.
    ///   - retry: Whether and when the same call may succeed.
    ///   - cause: The underlying error, if there is one.
    public init(
        _ code: Code,
        message: String,
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
    /// A message to show next to an input field.
    public struct Field: Hashable, Sendable {
        /// The server's name for the input, such as `traits.phone` or `password`.
        public var name: String

        /// The message for the user.
        public var message: String

        /// Creates a message.
        ///
        /// - Parameters:
        ///   - name: The server's name for the input, such as `traits.phone`.
        ///   - message: The message for the user.
        public init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }

    /// Advice on repeating a call.
    public enum Retry: Hashable, Sendable {
        /// The same call will fail again.
        case never
        /// The same call may succeed at any time, for instance when the network is available again.
        case later
        /// The same call may succeed after this time.
        case after(Duration)
    }
}

extension LatchkeyError: CustomStringConvertible {
    /// The code and the message, without the cause.
    public var description: String { "\(code): \(message)" }
}
