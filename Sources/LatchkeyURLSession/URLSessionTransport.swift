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
public final class URLSessionTransport: StreamingTransport {
    /// The time limit for a whole exchange that isn't streamed.
    ///
    /// The default is 15 seconds. Limits of 24 days or more are treated as no limit.
    public let timeout: Duration

    /// The maximum size of the decompressed body of a response that isn't streamed, in bytes.
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
        let answer = try await exchange(
            request,
            to: origin,
            limits: RequestLimits(
                timeout: limits.timeout ?? timeout,
                bodyLimit: limits.bodyLimit ?? bodyLimit
            )
        )
        return HTTP.Response(
            answer.status,
            headers: answer.headers,
            body: try await answer.body.collected(upTo: .max)
        )
    }

    /// Sends a request and returns as soon as the response head has been received.
    ///
    /// On Apple platforms, the transfer pauses while the consumer of the body is slow, so that at most
    /// 256 KiB and the chunks that were already on the way are held in memory. Foundation for Linux cannot
    /// pause a transfer. In addition to the given limits, an exchange fails with `timedOut` after a minute
    /// without data.
    ///
    /// - Parameters:
    ///   - request: The request to send. The path includes the server's base path and starts with a slash.
    ///   - upload: The request body, or `nil` to send the request's own body. The body is produced completely
    ///     before it is sent, so it has to fit into memory.
    ///   - origin: The server's scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits for this exchange. By default, there is no limit on the duration of the
    ///     exchange or the size of the body.
    /// - Returns: The response, regardless of its status code. Repeated header fields are joined with commas.
    /// - Throws: ``LatchkeyWire/TransportError``, with the code `invalidRequest` if the upload failed.
    public func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        guard let upload else { return try await exchange(request, to: origin, limits: limits) }
        let start = ContinuousClock.now
        var (request, limits) = (request, limits)
        request.body = try await upload.collected(within: limits.timeout)
        limits.timeout = limits.timeout.map {
            RequestLimits.isUnlimited($0) ? $0 : $0 - start.duration(to: .now)
        }
        return try await exchange(request, to: origin, limits: limits)
    }

    /// Starts an exchange and waits for the response head.
    private func exchange(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        var prepared = try Self.prepared(request, to: origin)
        prepared.timeoutInterval = Self.idleLimit(for: limits.timeout)
        guard !Task.isCancelled else { throw .cancelled(neverSent: true) }
        let task = session.dataTask(with: prepared)
        let exchange = URLSessionExchange(
            task,
            host: prepared.url?.host ?? "",
            bodyLimit: limits.bodyLimit ?? .max
        )
        exchanges.add(exchange, for: task)
        let head = try await exchange.head(within: limits.timeout)
        return HTTP.StreamedResponse(
            head.status,
            headers: head.headers,
            body: HTTP.ResponseBody(URLSessionBody(exchange, of: self))
        )
    }

    /// Returns the time in seconds after which `URLSession` ends an exchange without data.
    ///
    /// The exchange measures its own limit, so this one only must not be shorter. Foundation converts it to
    /// an integer, so it must be finite.
    private static func idleLimit(for timeout: Duration?) -> Double {
        guard let timeout else { return 60 }
        return min(max(timeout, .seconds(1)), .seconds(24 * 86_400)) / .seconds(1) + 1
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
