public import LatchkeyWire

/// A transport that uses libcurl.
///
/// A single thread performs all requests concurrently over kept-alive connections (HTTP/1.1, TLS 1.2 or
/// newer). The transport does not follow redirects or store cookies, and supports only http and https. It
/// uses the proxies from the environment, as every program that uses libcurl does, unless
/// ``CurlOptions/proxy`` specifies another one; requests to this machine never use a proxy. The thread sleeps
/// while no request is in flight, and ends when the transport is released.
///
/// It keeps up to 64 connections open, at most 32 of them to the same host; further requests to that host
/// wait for a connection.
public final class CurlTransport: Transport {
    private let loop: CurlLoop
    private let options: CurlOptions

    /// Creates a transport and starts its thread.
    ///
    /// - Parameter options: The timeouts, size limit, proxy and trusted certificates.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `invalidRequest` for a malformed proxy URL,
    ///   and `unreachable` when libcurl or the thread cannot be started.
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
    ///   - request: The request; its path includes the server's base path and starts with a slash.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `cancelled` as soon as the task is cancelled,
    ///   `timedOut` after the time limits of the options, and `invalidRequest` for a request that could be
    ///   sent outside `origin`.
    public func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(TransportError) -> HTTP.Response {
        let transfer = try CurlTransfer(request, to: origin, options: options)
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
