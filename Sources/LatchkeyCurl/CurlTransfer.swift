import LatchkeyModel
import LatchkeyWire

/// A request and its response, from the caller's call to its completion.
///
/// `@unchecked Sendable`: `state` is guarded by its lock. The request and response data is used only on the
/// loop's thread, which also builds the response from it.
final class CurlTransfer: @unchecked Sendable {
    /// The response, regardless of its status, or the error if there is no response.
    typealias Outcome = Result<HTTP.Response, TransportError>

    private enum State {
        /// No caller is waiting yet. Changes to `waiting`, or to `cancelled` if the task is cancelled first.
        case created
        /// A caller is waiting. Changes to `cancelled` or `finished`.
        case waiting(CheckedContinuation<Outcome, Never>)
        /// The transfer was cancelled. If a caller is waiting, the loop resumes it after dropping the
        /// transfer. Changes to `finished`.
        case cancelled(CheckedContinuation<Outcome, Never>?)
        /// The caller has been resumed.
        case finished
    }

    /// The complete URL, which has been checked to point to the origin.
    let url: String
    /// The origin without its scheme, with which error messages begin.
    let host: String

    /// Whether the request goes to this machine and therefore must not pass through a proxy.
    let isLoopback: Bool
    /// The request as the caller passed it; its header fields and body are sent unchanged.
    let request: HTTP.Request
    /// The transport's options at the time of the call.
    let options: CurlOptions

    private let state = Locked(State.created)
    private var headers: HTTP.Headers = [:]
    private var body: [UInt8] = []
    private var sentBodyBytes = 0
    /// Whether the response body has exceeded the limit, which libcurl reports as a failed write.
    private(set) var isTooLarge = false

    /// Whether the empty line after the header fields was received; libcurl treats a truncated head as
    /// complete.
    private(set) var isHeadComplete = false

    /// Creates a transfer.
    ///
    /// - Throws: `TransportError` with the code `invalidRequest` for a request that could be sent outside
    ///   `origin`.
    init(_ request: HTTP.Request, to origin: String, options: CurlOptions) throws(TransportError) {
        let target = try RequestTarget(request, at: origin)
        url = target.url
        host = target.origin.origin.split(separator: "/").last.map(String.init) ?? ""
        isLoopback = target.origin.isLoopback
        self.request = request
        self.options = options
    }

    /// Stores the caller's continuation.
    ///
    /// It must be called once.
    ///
    /// - Returns: Whether the transfer has to be started; `false` if it has already been cancelled, in which
    ///   case this method has resumed the continuation.
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

    /// Records that the caller has cancelled the request.
    ///
    /// Thread-safe. This method does not resume the caller; ``finish(_:neverSent:)`` or ``wait(_:)`` does.
    ///
    /// - Returns: Whether the loop has to be woken to drop the transfer.
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

    /// Whether the caller has cancelled and has not been resumed yet; thread-safe.
    var isCancelled: Bool {
        state.withLock { if case .cancelled = $0 { true } else { false } }
    }

    /// Resumes the caller with the outcome, or with a cancellation error; calls after the first have no
    /// effect.
    ///
    /// - Parameters:
    ///   - outcome: The response or error; replaced by a cancellation error if the caller has cancelled.
    ///   - neverSent: Whether no byte of the request was sent, so that it can be repeated safely.
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

    /// Copies the next part of the request body; returns its size in bytes, 0 at the end.
    func sendBody(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let part = request.body[sentBodyBytes...].prefix(space.count)
        space.copyBytes(from: part)
        sentBodyBytes += part.count
        return part.count
    }

    /// Processes one line of the response head; a status line starts a new head, for instance after 1xx
    /// responses.
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
            HTTP.Headers.Field(name: String(text[..<colon]), value: value.trimmingWhitespace)
        )
    }

    /// Appends a part of the response body; returns `false` if the body exceeds the limit, which aborts the
    /// transfer.
    func receiveBody(_ part: UnsafeRawBufferPointer) -> Bool {
        guard body.count + part.count <= options.bodyLimit else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: part)
        return true
    }

    /// Builds the response from the header fields and the body received so far.
    func response(status: Int) -> HTTP.Response {
        HTTP.Response(status, headers: headers, body: body)
    }

    /// Returns the error for a cancelled request, which states whether any byte of the request was sent.
    private static func cancelled(neverSent: Bool) -> TransportError {
        TransportError(.cancelled, message: "The task was cancelled.", neverSent: neverSent)
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
