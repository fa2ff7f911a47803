/// The phase of a connection, which is named after the event that it waits for and has its own time limit.
enum ConnectionPhase {
    /// The connection waits for the first request line.
    case fresh
    /// The connection waits for the next request line.
    case idle
    /// The connection waits for the header fields.
    case head
    /// The connection waits for the body.
    case body
    /// The connection waits for the handler's response.
    case handling
    /// The connection waits for the client to receive the response.
    case answering
    /// The connection waits for the next part of a streamed response.
    case producing

    /// Whether the request is complete, so that the connection waits for its response.
    var isAnswer: Bool {
        switch self {
        case .handling, .answering, .producing: true
        case .fresh, .idle, .head, .body: false
        }
    }
}
