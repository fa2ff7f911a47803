/// A request that brought no answer.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// Why there is no answer.
    public enum Code: String, Sendable {
        /// The host could not be found or reached, or the connection broke.
        case unreachable
        /// The answer did not come in time.
        case timedOut
        /// The other side could not prove who it is (TLS).
        case untrusted
        /// The caller's task was cancelled.
        case cancelled
        /// The request cannot be sent as it is: the origin has a path, the path has no leading slash, or a header field
        /// contains a line break.
        case invalidRequest
        /// The answer is larger than the transport accepts, or is no HTTP.
        case invalidAnswer
    }

    /// Why there is no answer.
    public let code: Code

    /// What went wrong, for a developer; holds no part of the request but the host.
    public let message: String

    /// Whether the request certainly never left this device, so that sending it again cannot do harm.
    public let neverSent: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: Why there is no answer.
    ///   - message: A sentence for a developer.
    ///   - neverSent: Whether the request certainly never left this device.
    public init(_ code: Code, _ message: String, neverSent: Bool = false) {
        self.code = code
        self.message = message
        self.neverSent = neverSent
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
