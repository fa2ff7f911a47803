/// What a server said when it refused; the cause of a ``LatchkeyError``.
public struct ServerRefusal: Error, Sendable {
    /// The HTTP status.
    public var status: Int

    /// The stable name of the refusal, such as `code_expired`; many have none.
    public var id: String?

    /// The numbers of the messages in the flow, such as 4000006, as Ory Kratos assigns them.
    public var messageIDs: [Int]

    /// What the server said, in its own words; nothing when it said nothing.
    public var reason: String?

    /// Messages beside inputs.
    public var fields: [LatchkeyError.Field]

    /// How long to wait before the next attempt, when the server said so.
    public var retryAfter: Duration?

    /// The flow to go on with, when the one that was used is over.
    public var replacementFlow: String?

    /// Whether the answer had the form in which the identity server refuses, rather than that of something before it.
    var isEnvelope = false

    /// Whether the identity server said that the session does not exist or has ended.
    var endsSession = false

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - id: The stable name of the refusal.
    ///   - messageIDs: The numbers of the messages in the flow.
    ///   - reason: What the server said.
    ///   - fields: Messages beside inputs.
    ///   - retryAfter: How long to wait before the next attempt.
    ///   - replacementFlow: The flow to go on with.
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
    /// The status and the id.
    public var description: String {
        id.map { "\(status) \($0)" } ?? "\(status)"
    }
}
