/// An error thrown by Latchkey.
public struct LatchkeyError: Error, Sendable {
    /// The kind of failure.
    ///
    /// Use this to decide how to handle the error.
    public var code: Code

    /// A one-sentence description of the failure for developers.
    ///
    /// The description never contains passwords, codes, tokens or keys.
    public var message: String

    /// Error messages to show next to input fields.
    ///
    /// The list is empty if the failure wasn't caused by an input.
    public var fields: [Field]

    /// Whether a user is still logged in on this device.
    public var isStillSignedIn: Bool

    /// Whether and when the same call may succeed.
    public var retry: Retry

    /// The underlying error, such as a ``ServerRefusal``, a ``LatchkeyWire/TransportError`` or a
    /// ``SessionStoreError``.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: A one-sentence description for developers, which must not contain secrets.
    ///   - fields: Error messages to show next to input fields.
    ///   - isStillSignedIn: Whether a user is still logged in on this device.
    ///   - retry: Whether and when the same call may succeed.
    ///   - cause: The underlying error, if any.
    public init(
        _ code: Code,
        message: String,
        fields: [Field] = [],
        isStillSignedIn: Bool = false,
        retry: Retry = .never,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.fields = fields
        self.isStillSignedIn = isStillSignedIn
        self.retry = retry
        self.cause = cause
    }
}

extension LatchkeyError {
    /// An error message to show next to an input field.
    public struct Field: Hashable, Sendable {
        /// The server's name for the input, such as `traits.phone` or `password`.
        public var name: String

        /// The error message for the user.
        public var message: String

        /// Creates an error message for a field.
        ///
        /// - Parameters:
        ///   - name: The server's name for the input, such as `traits.phone`.
        ///   - message: The error message for the user.
        public init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }

    /// Whether and when it makes sense to repeat a call.
    public enum Retry: Hashable, Sendable {
        /// Repeating the call won't help.
        case never
        /// The same call may succeed later, for example when the network is available again.
        case later
        /// The same call may succeed after the given time.
        case after(Duration)
    }
}

extension LatchkeyError: CustomStringConvertible {
    /// The code and the message, but not the cause.
    public var description: String { "\(code): \(message)" }
}
