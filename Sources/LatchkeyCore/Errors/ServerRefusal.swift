/// A server response that rejects a request; the cause of a ``LatchkeyError``.
public struct ServerRefusal: Error, Sendable {
    /// The HTTP status.
    public var status: Int

    /// The identifier of the refusal, such as `code_expired`, or `nil` if the server gave none.
    public var id: String?

    /// The numbers of the flow's messages, such as 4000006, as assigned by Ory Kratos.
    public var messageIDs: [Int]

    /// The reason in the server's own words, or `nil` if it gave none.
    public var reason: String?

    /// The messages to show next to input fields.
    public var fields: [LatchkeyError.Field]

    /// The time to wait before the next attempt, or `nil` if the server gave none.
    public var retryAfter: Duration?

    /// The id of the flow to continue with, if the server replaced an expired flow.
    public var replacementFlow: String?

    /// Whether the response has the identity server's error format, which distinguishes it from a proxy's
    /// response.
    var isEnvelope = false

    /// Whether the identity server stated that the session does not exist or has ended.
    var endsSession = false

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - id: The identifier of the refusal, if the server gave one.
    ///   - messageIDs: The numbers of the flow's messages.
    ///   - reason: The reason in the server's own words, if it gave one.
    ///   - fields: The messages to show next to input fields.
    ///   - retryAfter: The time to wait before the next attempt, if the server gave one.
    ///   - replacementFlow: The id of the flow to continue with, if the server replaced the flow.
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
    /// The status, and the identifier if there is one.
    public var description: String {
        id.map { "\(status) \($0)" } ?? "\(status)"
    }
}
