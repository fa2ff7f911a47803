import LatchkeyWire

/// The bytes recorded on all connections of a proxy, and the exchanges that they contain.
struct Recording: Sendable {
    /// The sender of recorded bytes, which is the client for `request` and the server for `answer`.
    enum Direction: Sendable {
        case request
        case answer
    }

    private struct Stream: Sendable {
        var requests: [UInt8] = []
        var answers: [UInt8] = []
        /// The offset in `requests` of each chunk from the client, with its position in the order of all
        /// chunks.
        var arrivals: [(offset: Int, order: Int)] = []
    }

    /// The number of connections, including connections on which no bytes were sent.
    var connections = 0
    /// The number of bytes that clients have sent on all connections.
    private(set) var sentByteCount = 0
    private var streams: [Int: Stream] = [:]
    private var order = 0

    /// Appends bytes that were received on a connection.
    ///
    /// The bytes do not have to be a complete message.
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

    /// The complete exchanges of all connections, in the order in which their requests began.
    ///
    /// The messages are parsed on each access. The n-th request on a connection is paired with the n-th
    /// response.
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
