import Foundation
import LatchkeyModel
public import LatchkeyWire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport that uses `URLSession`.
///
/// The transport does not follow redirects, does not store cookies or responses, and requires TLS 1.2.
/// Requests that `URLSession` would modify or cannot send are rejected with the code `invalidRequest`, for
/// example requests with dot segments in the path, and `GET` and `HEAD` requests with a body.
public final class URLSessionTransport: Transport {
    /// The time limit for a whole exchange.
    ///
    /// The default is 15 seconds. Limits of 24 days or more are treated as no limit.
    public let timeout: Duration

    /// The maximum size of a decompressed response body in bytes.
    ///
    /// The default is 1 MiB.
    public let bodyLimit: Int

    private let session: URLSession
    private let exchanges = URLSessionExchanges()

    /// Creates a transport with its own ephemeral session.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for a whole exchange.
    ///   - bodyLimit: The maximum size of a response body in bytes.
    public init(timeout: Duration = .seconds(15), bodyLimit: Int = 1 << 20) {
        self.timeout = timeout
        self.bodyLimit = bodyLimit
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        #if canImport(Darwin)
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        configuration.waitsForConnectivity = false
        #endif
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // The session retains its delegate until it is invalidated.
        session.invalidateAndCancel()
    }

    /// Sends a request, using the given limits, and waits for the response.
    ///
    /// - Parameters:
    ///   - request: The request to send. The path includes the server's base path and starts with a slash.
    ///   - origin: The server's scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits for this request, which override the transport's default limits.
    /// - Returns: The response, regardless of its status code. Repeated header fields are joined with commas.
    /// - Throws: ``LatchkeyWire/TransportError``.
    public func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        let timeout = limits.timeout ?? timeout
        var prepared = try Self.prepared(request, to: origin)
        // This limit is for the time without data. Foundation converts it to an integer, so it must be finite.
        prepared.timeoutInterval = min(timeout, .seconds(24 * 86_400)) / .seconds(1)
        guard !Task.isCancelled else { throw .cancelled(neverSent: true) }
        let task = session.dataTask(with: prepared)
        let exchange = URLSessionExchange(
            host: prepared.url?.host ?? "",
            bodyLimit: limits.bodyLimit ?? bodyLimit
        )
        let timer =
            RequestLimits.isUnlimited(timeout)
            ? nil
            : Task {
                try await SystemTime().sleep(for: timeout)
                exchange.timeOut()
                task.cancel()
            }
        defer { timer?.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.wait(continuation)
                exchanges.add(exchange, for: task)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return try outcome.get()
    }

    /// Returns the request for `URLSession`, or throws an error if `URLSession` would modify the request.
    private static func prepared(
        _ request: HTTP.Request,
        to origin: String
    ) throws(TransportError) -> URLRequest {
        let target = try RequestTarget(request, at: origin)
        guard !hasDotSegments(request.path) else {
            throw .invalid("URLSession removes dot segments from the path of a request.")
        }
        guard request.body.isEmpty || (request.method != .get && request.method != .head) else {
            throw .invalid("URLSession does not send a body with GET or HEAD.")
        }
        guard let url = URL(string: target.url), url.absoluteString == target.url else {
            throw .invalid("Foundation changes the request's URL when parsing it.")
        }
        guard !target.origin.isLoopback || !ProxyEnvironment.applies(to: url) else {
            throw .invalid(
                "URLSession would use the proxy from the environment even for this machine."
            )
        }
        var prepared = URLRequest(url: url)
        prepared.httpMethod = request.method.rawValue
        prepared.httpShouldHandleCookies = false
        for field in request.headers.fields {
            prepared.addValue(field.value, forHTTPHeaderField: field.name)
        }
        if !request.body.isEmpty { prepared.httpBody = Data(request.body) }
        return prepared
    }

    /// Returns whether a path has dot segments, which may be percent-encoded (RFC 3986, section 5.2.4).
    private static func hasDotSegments(_ path: String) -> Bool {
        path.split(separator: "/").contains { segment in
            let segment = segment.lowercased().replacing("%2e", with: ".")
            return segment == "." || segment == ".."
        }
    }
}

extension TransportError {
    fileprivate static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidRequest, message: message, neverSent: true)
    }

    fileprivate static func cancelled(neverSent: Bool) -> TransportError {
        TransportError(.cancelled, message: "The task was cancelled.", neverSent: neverSent)
    }
}

/// The proxy settings in the environment, which `URLSession` uses on Linux.
private enum ProxyEnvironment {
    /// Returns whether an unencrypted request would be sent through a proxy.
    static func applies(to url: URL) -> Bool {
        #if canImport(FoundationNetworking)
        guard url.scheme == "http" else { return false }
        let environment = ProcessInfo.processInfo.environment
        return ["http_proxy", "all_proxy", "ALL_PROXY"].contains { environment[$0]?.isEmpty == false }
        #else
        return false
        #endif
    }
}

/// An exchange in progress.
private final class URLSessionExchange: Sendable {
    typealias Outcome = Result<HTTP.Response, TransportError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var head: HTTP.Response?
        var body: [UInt8] = []
        var isTooLarge = false
        var isTimedOut = false
    }

    private let host: String
    private let bodyLimit: Int
    private let state = Locked(State())

    init(host: String, bodyLimit: Int) {
        (self.host, self.bodyLimit) = (host, bodyLimit)
    }

    func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    func timeOut() {
        state.withLock { $0.isTimedOut = true }
    }

    /// Stores the response head.
    ///
    /// If there was an earlier response, its body is discarded.
    func receive(_ response: HTTPURLResponse) {
        var head = HTTP.Response(response.statusCode)
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            head.headers.fields.append(HTTP.Headers.Field(name: name, value: value))
        }
        state.withLock { state in (state.head, state.body) = (head, []) }
    }

    /// Appends a chunk of the body.
    ///
    /// Returns `false` if the body exceeds the size limit.
    func receive(_ part: Data) -> Bool {
        state.withLock { state in
            guard state.body.count + part.count <= bodyLimit else {
                state.isTooLarge = true
                return false
            }
            state.body += part
            return true
        }
    }

    /// Resumes the caller.
    func finish(_ error: (any Error)?) {
        let final = state.withLock { state in
            defer { state.continuation = nil }
            return state
        }
        final.continuation?.resume(returning: outcome(of: final, error: error))
    }

    private func outcome(of state: State, error: (any Error)?) -> Outcome {
        if state.isTooLarge {
            return .failure(
                failure(.invalidAnswer, message: "The response is larger than \(bodyLimit) bytes.")
            )
        }
        if state.isTimedOut { return .failure(failure(.timedOut, message: "The request timed out.")) }
        if let error { return .failure(failure(error)) }
        guard var response = state.head else {
            return .failure(failure(.invalidAnswer, message: "The response is not HTTP."))
        }
        response.body = state.body
        return .success(response)
    }

    private func failure(
        _ code: TransportError.Code,
        message: String,
        neverSent: Bool = false
    ) -> TransportError {
        TransportError(code, message: "\(host): \(message)", neverSent: neverSent)
    }

    /// Translates an error thrown by `URLSession`.
    ///
    /// We don't use the original description because it can contain the URL.
    private func failure(_ error: any Error) -> TransportError {
        guard let error = error as? URLError else {
            return failure(.unreachable, message: "The connection failed.")
        }
        return switch error.code {
        case .cancelled: .cancelled(neverSent: false)
        case .timedOut: failure(.timedOut, message: "The request timed out.")
        case .cannotFindHost, .dnsLookupFailed:
            failure(.unreachable, message: "The host cannot be found.", neverSent: true)
        case .cannotConnectToHost:
            failure(.unreachable, message: "The host refuses connections.", neverSent: true)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            failure(.unreachable, message: "This device is not connected to a network.", neverSent: true)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot, .clientCertificateRejected, .clientCertificateRequired:
            failure(.untrusted, message: "The server's certificate cannot be verified.", neverSent: true)
        case .secureConnectionFailed, .appTransportSecurityRequiresSecureConnection:
            failure(.unreachable, message: "A secure connection could not be established.", neverSent: true)
        case .badURL, .unsupportedURL:
            failure(.invalidRequest, message: "The URL is not supported.", neverSent: true)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .dataLengthExceedsMaximum, .zeroByteResource:
            failure(.invalidAnswer, message: "The response cannot be read.")
        default: failure(.unreachable, message: "The connection failed (\(error.code.rawValue)).")
        }
    }
}

/// A session delegate that forwards the events of each task to the corresponding exchange.
private final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: URLSessionExchange]>([:])

    func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.receive(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if exchange(of: dataTask)?.receive(data) == false { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.finish(error)
    }
}
