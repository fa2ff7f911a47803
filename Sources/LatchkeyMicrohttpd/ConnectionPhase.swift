/// The event that a connection waits for; each phase has its own time limit.
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
    /// The client's receipt of the response.
    case answering
    /// The next part of a streamed response.
    case producing

    /// Whether the request is complete, so that the connection waits for its response.
    var isAnswer: Bool {
        switch self {
        case .handling, .answering, .producing: true
        case .fresh, .idle, .head, .body: false
        }
    }
}
