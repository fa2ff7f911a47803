import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

/// One exchange, from the call to its one answer.
///
/// `@unchecked Sendable`: `state` is locked; what is sent and received is touched by the loop's thread alone, and read
/// for the answer on that thread.
final class CurlTransfer: @unchecked Sendable {
    typealias Outcome = Result<HTTPResponse, TransportError>

    private enum State {
        /// Nobody waits yet. Becomes `waiting` or, by a cancellation, `cancelled`.
        case created
        /// A caller waits. Becomes `cancelled` or `finished`.
        case waiting(CheckedContinuation<Outcome, Never>)
        /// Cancelled while a caller waits; the loop gives the answer when it lets go. Becomes `finished`.
        case cancelled(CheckedContinuation<Outcome, Never>?)
        /// The caller has its answer.
        case finished
    }

    let url: String
    let host: String

    /// Whether the request goes to this machine.
    let isLoopback: Bool
    let request: HTTPRequest
    let options: CurlOptions

    private let state = Locked(State.created)
    private var headers: HTTPHeaders = [:]
    private var body: [UInt8] = []
    private var sentBodyBytes = 0
    private(set) var isTooLarge = false

    /// Whether the empty line after the fields has come; libcurl takes a head that breaks off for a whole one.
    private(set) var isHeadComplete = false

    init(_ request: HTTPRequest, to origin: String, options: CurlOptions) throws(TransportError) {
        let target = try RequestTarget(request, at: origin)
        url = target.url
        host = target.origin.origin.split(separator: "/").last.map(String.init) ?? ""
        isLoopback = target.origin.isLoopback
        self.request = request
        self.options = options
    }

    /// Takes the caller's continuation; tells whether there is anything to start.
    func wait(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let isCancelled = state.withLock { state in
            if case .cancelled = state {
                state = .finished
                return true
            }
            state = .waiting(continuation)
            return false
        }
        if isCancelled { continuation.resume(returning: .failure(Self.cancelled(neverSent: true))) }
        return !isCancelled
    }

    /// Records that the caller wants no answer any more; tells whether the loop has to let go.
    func cancel() -> Bool {
        state.withLock { state in
            switch state {
            case .created:
                state = .cancelled(nil)
                return false
            case .waiting(let continuation):
                state = .cancelled(continuation)
                return true
            case .cancelled, .finished:
                return false
            }
        }
    }

    var isCancelled: Bool {
        state.withLock { if case .cancelled = $0 { true } else { false } }
    }

    /// Gives the caller its answer; the first call counts.
    func finish(_ outcome: Outcome, neverSent: Bool) {
        let (continuation, wasCancelled) = state.withLock { state in
            defer { state = .finished }
            switch state {
            case .waiting(let continuation): return (Optional(continuation), false)
            case .cancelled(let continuation): return (continuation, true)
            case .created, .finished: return (nil, false)
            }
        }
        continuation?.resume(
            returning: wasCancelled ? .failure(Self.cancelled(neverSent: neverSent)) : outcome
        )
    }

    /// Gives the next part of the request's body; tells how much that is.
    func sendBody(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let part = request.body[sentBodyBytes...].prefix(space.count)
        space.copyBytes(from: part)
        sentBodyBytes += part.count
        return part.count
    }

    /// Takes a line of the answer's head; a new status line begins it anew.
    func receiveHeader(_ line: UnsafeRawBufferPointer) {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headers = [:]
            isHeadComplete = false
            return
        }
        if text == "\r\n" || text == "\n" { isHeadComplete = true }
        guard let colon = text.firstIndex(of: ":") else { return }
        let value = text[text.index(after: colon)...]
        headers.fields.append(
            HTTPHeaders.Field(name: String(text[..<colon]), value: value.trimmingWhitespace)
        )
    }

    /// Takes a part of the body; tells whether to go on.
    func receiveBody(_ part: UnsafeRawBufferPointer) -> Bool {
        guard body.count + part.count <= options.bodyLimit else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: part)
        return true
    }

    /// The answer as received so far.
    func response(status: Int) -> HTTPResponse {
        HTTPResponse(status, headers: headers, body: body)
    }

    private static func cancelled(neverSent: Bool) -> TransportError {
        TransportError(.cancelled, "The task was cancelled.", neverSent: neverSent)
    }
}

extension Substring {
    fileprivate var trimmingWhitespace: String {
        var rest = self
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
