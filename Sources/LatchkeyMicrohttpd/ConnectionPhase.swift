/// What a connection is waiting for; each phase has a deadline of its own.
enum ConnectionPhase {
    /// The first request line.
    case fresh
    /// The next request line.
    case idle
    /// The header fields.
    case head
    /// The body.
    case body
    /// The handler.
    case handling
    /// The client, who is to take the answer.
    case answering
}
