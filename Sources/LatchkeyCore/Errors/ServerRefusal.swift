public import LatchkeyWire

/// A response in which the identity server rejects a request.
///
/// If an error was reported by the server, its ``LatchkeyError/cause`` is a value of this type. For a response of a
/// proxy or a captive portal, the cause is an ``UnrecognizedResponse``.
public struct ServerRefusal: Error, Sendable {
    /// The HTTP status.
    public var status: Int

    /// The server's error id, such as `code_expired`, or `nil` if there is none.
    public var id: String?

    /// The ids of the messages in the flow, as defined by Ory Kratos, such as 4000006.
    public var messageIDs: [Int]

    /// The server's explanation of the error, or `nil` if there is none.
    public var reason: String?

    /// Error messages to show next to input fields.
    public var fields: [LatchkeyError.Field]

    /// The time to wait before the next attempt, or `nil` if the server didn't specify one.
    public var retryAfter: Duration?

    /// The id of the flow that replaces an expired flow, if the server created one.
    public var replacementFlow: String?

    /// The step that the user must complete before the request can be repeated, or `nil` if there is none.
    ///
    /// The server has not applied the request.
    public var duty: Duty.Kind?

    /// Whether the identity server confirmed that the session doesn't exist or has ended.
    var endsSession = false

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - id: The server's error id, if any.
    ///   - messageIDs: The ids of the messages in the flow.
    ///   - reason: The server's explanation of the error, if any.
    ///   - fields: Error messages to show next to input fields.
    ///   - retryAfter: The time to wait before the next attempt, if the server specified one.
    ///   - replacementFlow: The id of the flow that replaces an expired flow, if the server created one.
    public init(
        status: Int,
        id: String? = nil,
        messageIDs: [Int] = [],
        reason: String? = nil,
        fields: [LatchkeyError.Field] = [],
        retryAfter: Duration? = nil,
        replacementFlow: String? = nil
    ) {
        self.status = status
        self.id = id
        self.messageIDs = messageIDs
        self.reason = reason
        self.fields = fields
        self.retryAfter = retryAfter
        self.replacementFlow = replacementFlow
    }
}

extension ServerRefusal: CustomStringConvertible {
    /// The status, followed by the error id if there is one.
    public var description: String {
        id.map { "\(status) \($0)" } ?? "\(status)"
    }
}
