public import LatchkeyWire

/// A transport that uses libcurl.
///
/// A single thread performs all requests concurrently over kept-alive connections (HTTP/1.1, TLS 1.2 or
/// newer). The transport does not follow redirects or store cookies, and supports only http and https.
/// Proxies are taken from the environment, as in every program that uses libcurl, unless
/// ``CurlOptions/proxy`` specifies another one. Requests to this machine never use a proxy. The thread sleeps
/// while no request is in flight, and ends when the transport is released.
///
/// It keeps up to 64 connections open, at most 32 of them to the same host; further requests to that host
/// wait for a connection.
public final class CurlTransport: StreamingTransport {
    private let loop: CurlLoop
    private let options: CurlOptions

    /// Creates a transport and starts its thread.
    ///
    /// - Parameter options: The timeouts, size limit, proxy and trusted certificates.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `invalidRequest` for a malformed proxy URL, or
    ///   `unreachable` if libcurl or the thread cannot be started.
    public init(options: CurlOptions = CurlOptions()) throws(TransportError) {
        if case .url(let text) = options.proxy, !ProxyURL.isValid(text) {
            throw TransportError(
                .invalidRequest,
                message:
                    "The proxy URL must be of the form http://proxy.example.com:3128 or socks5h://127.0.0.1:1080.",
                neverSent: true
            )
        }
        self.options = options
        loop = try CurlLoop.start()
    }

    deinit {
        loop.stop()
    }

    /// Sends a request and waits for the response.
    ///
    /// Besides the error codes listed below, the code is `untrusted` for a certificate that cannot be
    /// verified, `invalidAnswer` for a response that is too large or not HTTP, and `unreachable` for all
    /// other failures. The error states whether the request was never sent. If a kept-alive connection
    /// breaks, a request with a body is not repeated, because the server may have processed it.
    ///
    /// - Parameters:
    ///   - request: The request, whose path includes the server's base path and starts with a slash.
    ///   - origin: The scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `cancelled` as soon as the task is cancelled,
    ///   `timedOut` after the time limits of the options, or `invalidRequest` for a request that could be
    ///   sent outside `origin`.
    public func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(TransportError) -> HTTP.Response {
        try await perform(CurlTransfer(request, to: origin, options: options))
    }

    /// Sends a request with limits of its own, and waits for the response.
    ///
    /// - Parameters:
    ///   - request: The request; its path includes the server's base path and starts with a slash.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits that replace those of the options.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyWire/TransportError``, with the same codes as ``send(_:to:)``.
    public func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        var options = options
        options.timeout = limits.timeout ?? options.timeout
        options.bodyLimit = limits.bodyLimit ?? options.bodyLimit
        return try await perform(CurlTransfer(request, to: origin, options: options))
    }

    /// Sends a request, and returns as soon as the head of the response has arrived.
    ///
    /// While the consumer of the body or the network is slow, the transfer pauses, and at most 256 KiB and one
    /// part of the upload are in memory. Apart from the limits, an exchange fails with `timedOut` after a minute
    /// without data.
    ///
    /// - Parameters:
    ///   - request: The request; its path includes the server's base path and starts with a slash.
    ///   - upload: The body of the request; `nil` sends the request's own body.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits of the exchange, which by default is unlimited in time and size.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyWire/TransportError``, with the same codes as ``send(_:to:)``, and with
    ///   `invalidRequest` if the upload failed.
    public func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        let wake: @Sendable () -> Void = { [loop] in loop.wake() }
        let download = CurlDownload(wake: wake)
        let source = CurlBodySource(download, of: self)
        let sending = upload.map { CurlUpload(length: $0.length, wake: wake) }
        var options = options
        options.bodyLimit = limits.bodyLimit ?? .max
        let transfer = try CurlTransfer(
            request,
            to: origin,
            options: options,
            timeout: limits.timeout,
            download: download,
            upload: sending
        )
        if let upload { sending?.start(upload) }
        let answer: HTTP.Response
        do throws(TransportError) {
            answer = try await perform(transfer)
        } catch {
            sending?.close()
            throw error
        }
        return HTTP.StreamedResponse(
            answer.status,
            headers: answer.headers,
            body: HTTP.ResponseBody(source)
        )
    }

    /// Adds a transfer to the loop, and waits for its response.
    private func perform(_ transfer: CurlTransfer) async throws(TransportError) -> HTTP.Response {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if transfer.wait(continuation) { loop.add(transfer) }
            }
        } onCancel: {
            if transfer.cancel() { loop.wake() }
        }
        return try outcome.get()
    }
}
