import LatchkeyWire

/// The bytes recorded on all of a proxy's connections, and the exchanges that they contain.
struct Recording: Sendable {
    /// Who sent the recorded bytes: the client for `request`, the server for `answer`.
    enum Direction: Sendable {
        case request
        case answer
    }

    private struct Stream: Sendable {
        var requests: [UInt8] = []
        var answers: [UInt8] = []
        /// The offset in `requests` of each chunk from the client, and the chunk's position in the order of
        /// all chunks.
        var arrivals: [(offset: Int, order: Int)] = []
    }

    /// The number of connections, including those on which no bytes were sent.
    var connections = 0
    /// The number of bytes that clients have sent, over all connections.
    private(set) var sentByteCount = 0
    private var streams: [Int: Stream] = [:]
    private var order = 0

    /// Appends bytes that were received on a connection.
    ///
    /// The bytes don't have to be a complete message.
    mutating func add(_ bytes: ArraySlice<UInt8>, on connection: Int, direction: Direction) {
        order += 1
        switch direction {
        case .request:
            sentByteCount += bytes.count
            let offset = streams[connection]?.requests.count ?? 0
            streams[connection, default: Stream()].arrivals.append((offset, order))
            streams[connection]?.requests += bytes
        case .answer:
            streams[connection, default: Stream()].answers += bytes
        }
    }

    /// The complete exchanges on all connections, in the order in which their requests began.
    ///
    /// The messages are parsed each time that this property is read. The n-th request on a connection is
    /// paired with the n-th response.
    var exchanges: [RecordedHTTPExchange] {
        streams.values
            .flatMap { stream in
                let requests = HTTPMessage.all(in: stream.requests)
                let answers = HTTPMessage.all(in: stream.answers)
                return zip(requests, answers).map { request, answer in
                    let order = stream.arrivals.last { $0.offset <= request.offset }?.order ?? 0
                    return (order, RecordedHTTPExchange(request: request, answer: answer))
                }
            }
            .sorted { $0.0 < $1.0 }
            .map(\.1)
    }
}
