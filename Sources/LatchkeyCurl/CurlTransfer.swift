import Glibc
import LatchkeyModel
import LatchkeyWire

/// A request and its response, from the time it is submitted until it completes.
///
/// `@unchecked Sendable` is safe because `state` is protected by its lock, and the request and response data
/// are only used on the loop's thread, which also builds the response.
final class CurlTransfer: @unchecked Sendable {
    /// The response, regardless of its status code, or the error if there is no response.
    typealias Outcome = Result<HTTP.Response, TransportError>

    private enum State {
        /// The caller hasn't begun to wait for the outcome. The next state is `waiting`, or `cancelled` if
        /// the task is cancelled first.
        case created
        /// The caller is waiting. The next state is `cancelled` or `finished`.
        case waiting(CheckedContinuation<Outcome, Never>)
        /// The transfer was cancelled. If the caller is waiting, the loop drops the transfer and then resumes
        /// the caller. The next state is `finished`.
        case cancelled(CheckedContinuation<Outcome, Never>?)
        /// The caller has been resumed.
        case finished
    }

    /// The complete URL, which has been checked to point to the origin.
    let url: String
    /// The origin without its scheme, which is used as a prefix in error messages.
    let host: String

    /// Whether the request goes to this machine and must therefore not use a proxy.
    let isLoopback: Bool
    /// The request as passed by the caller.
    ///
    /// The transport sends the request's header fields and body unchanged.
    let request: HTTP.Request
    /// The transport's options at the time of the call.
    let options: CurlOptions

    /// The time limit for the whole exchange, or `nil` if there is none.
    let timeout: Duration?
    /// The buffer of a streamed response, or `nil` if the response body is collected.
    let download: CurlDownload?
    /// The body of a streamed request, or `nil` if the request contains its complete body.
    let upload: CurlUpload?

    private let state = Locked(State.created)
    private var status = 0
    private var receivedBodyBytes = 0
    private var isHeadDelivered = false
    private var headers: HTTP.Headers = [:]
    private var body: [UInt8] = []
    private var sentBodyBytes = 0
    /// Whether the response body has exceeded the size limit.
    ///
    /// When the limit is exceeded, libcurl reports a failed write.
    private(set) var isTooLarge = false

    /// Whether the empty line after the header fields was received.
    ///
    /// libcurl treats a truncated head as complete, so the transfer has to keep track of the empty line
    /// itself.
    private(set) var isHeadComplete = false

    /// Creates a transfer.
    ///
    /// - Throws: `TransportError` with the code `invalidRequest` if the request could be sent to a server
    ///   other than `origin`.
    init(
        _ request: HTTP.Request,
        to origin: String,
        options: CurlOptions,
        timeout: Duration? = nil,
        download: CurlDownload? = nil,
        upload: CurlUpload? = nil
    ) throws(TransportError) {
        let target = try RequestTarget(request, at: origin)
        url = target.url
        host = target.origin.origin.split(separator: "/").last.map(String.init) ?? ""
        isLoopback = target.origin.isLoopback
        self.request = request
        self.options = options
        self.timeout = download == nil ? options.timeout : timeout
        self.download = download
        self.upload = upload
    }

    /// A sentence that names the proxy, or `nil` if the request doesn't use one.
    var proxyHint: String? {
        guard !isLoopback else { return nil }
        return ProxyURL.hint(
            for: options.proxy,
            scheme: String(url.prefix { $0 != ":" }),
            environment: { getenv($0).map { String(cString: $0) } }
        )
    }

    /// Stores the caller's continuation.
    ///
    /// This method must be called exactly once.
    ///
    /// - Returns: `true` if the transfer must be started, or `false` if it was already cancelled and this
    ///   method has resumed the continuation.
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
    /// This method can be called from any thread. The caller is not resumed until ``finish(_:neverSent:)`` or
    /// ``wait(_:)`` is called.
    ///
    /// - Returns: Whether the loop must be woken to drop the transfer.
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

    /// Whether the caller has cancelled the request and has not been resumed yet.
    ///
    /// This property can be read from any thread.
    var isCancelled: Bool {
        state.withLock { if case .cancelled = $0 { true } else { false } } || download?.isCancelled == true
    }

    /// Returns whether the loop must resume the transfer, because the response's consumer or the request's
    /// producer is ready again.
    func takeResumption() -> Bool {
        let resumesDownload = download?.takeResumption() == true
        let resumesUpload = upload?.takeResumption() == true
        return resumesDownload || resumesUpload
    }

    /// Resumes the caller with the outcome or with a cancellation error.
    ///
    /// Only the first call has an effect.
    ///
    /// - Parameters:
    ///   - outcome: The response or error. If the caller has cancelled, it receives a cancellation error
    ///     instead.
    ///   - neverSent: Whether the request can safely be retried because no part of it was sent.
    func finish(_ outcome: Outcome, neverSent: Bool) {
        upload?.close()
        if case .failure(let error) = outcome {
            download?.finish(.failure(error))
        } else {
            download?.finish(.success(()))
        }
        resume(outcome, neverSent: neverSent)
    }

    /// Resumes the caller.
    ///
    /// See ``finish(_:neverSent:)``.
    private func resume(_ outcome: Outcome, neverSent: Bool) {
        let (continuation, wasCancelled) = state.withLock { state in
            defer { state = .finished }
            switch state {
            case .waiting(let continuation): return (Optional(continuation), false)
            case .cancelled(let continuation): return (continuation, true)
            case .created, .finished: return (nil, false)
            }
        }
        guard wasCancelled else {
            continuation?.resume(returning: outcome)
            return
        }
        var error = Self.cancelled(neverSent: neverSent)
        error.head = head
        continuation?.resume(returning: .failure(error))
    }

    /// Copies the next chunk of the request body.
    func sendBody(_ space: UnsafeMutableRawBufferPointer) -> CurlUpload.Bytes {
        if let upload { return upload.read(into: space) }
        let part = request.body[sentBodyBytes...].prefix(space.count)
        space.copyBytes(from: part)
        sentBodyBytes += part.count
        return .copied(part.count)
    }

    /// Processes a line of the response head.
    ///
    /// A status line starts a new head, for example after a 1xx response.
    func receiveHeader(_ line: UnsafeRawBufferPointer) {
        // Servers that don't send UTF-8 mean ISO-8859-1, the character set of earlier versions of HTTP.
        let text =
            (try? String(utf8: line)) ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
        if text.hasPrefix("HTTP/") {
            headers = [:]
            isHeadComplete = false
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
            return
        }
        if text == "\r\n" || text == "\n" {
            isHeadComplete = true
            deliverHead()
        }
        guard let colon = text.firstIndex(of: ":") else { return }
        let value = text[text.index(after: colon)...]
        headers.fields.append(
            HTTP.Headers.Field(name: String(text[..<colon]), value: value.trimmingWhitespace)
        )
    }

    /// The action to take after receiving a chunk of the response body.
    enum Reception {
        case accepted
        /// The consumer is not ready. libcurl passes the chunk again when the transfer is resumed.
        case pause
        /// The body exceeds the size limit, so the transfer is aborted.
        case tooLarge
    }

    /// Receives a chunk of the response body.
    func receiveBody(_ part: UnsafeRawBufferPointer) -> Reception {
        guard receivedBodyBytes + part.count <= options.bodyLimit else {
            isTooLarge = true
            return .tooLarge
        }
        if let download {
            guard download.receive(part) else { return .pause }
        } else {
            body.append(contentsOf: part)
        }
        receivedBodyBytes += part.count
        return .accepted
    }

    /// Resumes the caller of a streamed response as soon as the head is complete.
    ///
    /// The heads of informational responses (1xx), which come before the actual response, are ignored.
    private func deliverHead() {
        guard download != nil, status >= 200, !isHeadDelivered else { return }
        isHeadDelivered = true
        resume(.success(HTTP.Response(status, headers: headers)), neverSent: false)
    }

    /// The response without its body, as far as it was received, or `nil` if there is no status line yet.
    ///
    /// The heads of informational responses (1xx) are ignored.
    var head: HTTP.Response? {
        status >= 200 ? HTTP.Response(status, headers: headers) : nil
    }

    /// Builds the response from the header fields and body that were received so far.
    func response(status: Int) -> HTTP.Response {
        HTTP.Response(status, headers: headers, body: body)
    }

    /// Returns the error for a cancelled request.
    ///
    /// The error says whether any byte of the request was sent.
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
