/// The phase of a connection.
///
/// Each phase is named after the event that the connection waits for and has its own time limit.
enum ConnectionPhase {
    /// Waiting for the first request line.
    case fresh
    /// Waiting for the next request line.
    case idle
    /// Waiting for the header fields.
    case head
    /// Waiting for the body.
    case body
    /// Waiting for the handler to respond.
    case handling
    /// Waiting for the client to receive the response.
    case answering
    /// Waiting for the next chunk of a streamed response.
    case producing

    /// Whether the request has been received completely and the connection waits for its response.
    var isAnswer: Bool {
        switch self {
        case .handling, .answering, .producing: true
        case .fresh, .idle, .head, .body: false
        }
    }
}
