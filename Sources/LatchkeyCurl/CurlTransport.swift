public import LatchkeyWire

/// A transport that uses libcurl.
///
/// A single thread performs all requests concurrently over kept-alive connections (HTTP/1.1, TLS 1.2 or
/// newer). The transport does not follow redirects or store cookies, and it only supports http and https.
/// Unless ``CurlOptions/proxy`` specifies a proxy, the proxy settings are read from the environment, as in
/// all programs that use libcurl. Requests to this machine never use a proxy. The thread sleeps while there
/// are no requests, and it ends when the transport is released.
///
/// The transport keeps up to 64 connections open, and up to 32 connections to the same host. Additional
/// requests to the same host wait for a connection.
public final class CurlTransport: StreamingTransport {
    private let loop: CurlLoop
    private let options: CurlOptions

    /// Creates a transport and starts its thread.
    ///
    /// - Parameter options: The timeouts, size limit, proxy settings and trusted certificates.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `invalidRequest` if the proxy URL is
    ///   malformed, or `unreachable` if libcurl or the thread cannot be started.
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
    /// In addition to the codes listed below, the code is `untrusted` if the certificate cannot be verified,
    /// `invalidResponse` if the response is too large or is not HTTP, and `unreachable` for all other failures.
    /// The error indicates whether any part of the request may have been sent. If a kept-alive connection
    /// breaks, a request with a body is not repeated because the server may have processed it.
    ///
    /// - Parameters:
    ///   - request: The request to send. The path includes the server's base path and starts with a slash.
    ///   - origin: The server's scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits for this request, which override those in the options.
    /// - Returns: The response, regardless of its status code.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `cancelled` as soon as the task is cancelled,
    ///   `timedOut` if a time limit is exceeded, or `invalidRequest` if the request could be sent to a server
    ///   other than `origin`.
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

    /// Sends a request and returns as soon as the response head has been received.
    ///
    /// The transfer pauses while the consumer of the body or the network is slow. At most 256 KiB of the
    /// response and one chunk of the upload are held in memory. In addition to the given limits, an exchange
    /// fails with `timedOut` after a minute without data.
    ///
    /// - Parameters:
    ///   - request: The request to send. The path includes the server's base path and starts with a slash.
    ///   - upload: The request body to stream, or `nil` to send the request's own body.
    ///   - origin: The server's scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits for this exchange. By default, there is no limit on the duration of the
    ///     exchange or the size of the body.
    /// - Returns: The response, regardless of its status code.
    /// - Throws: ``LatchkeyWire/TransportError`` with the same codes as ``send(_:to:limits:)``, or with
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

    /// Adds a transfer to the loop and waits for its response.
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
