public import LatchkeyCore
public import LatchkeyWire

/// Carries requests by libcurl, many at a time over kept-alive connections, on one thread of its own.
///
/// Follows no redirects, keeps no cookies, speaks http and https only. Proxies come from the environment, as for
/// every program that uses libcurl, unless ``CurlOptions/proxy`` says otherwise; requests to this machine never go through
/// one. The thread sleeps while nothing is under way and ends with the transport.
public final class CurlTransport: Transport {
    private let loop: CurlLoop
    private let options: CurlOptions

    /// Creates a transport and starts its thread.
    ///
    /// - Parameter options: Time-outs, limits, the proxy and whom to trust.
    /// - Throws: ``LatchkeyCore/TransportError`` when libcurl or the system refuses what it needs, with the code
    ///   `invalidRequest` for the URL of a proxy that is none.
    public init(options: CurlOptions = CurlOptions()) throws(TransportError) {
        if case .url(let text) = options.proxy, !ProxyURL.isValid(text) {
            throw TransportError(
                .invalidRequest,
                "The URL of a proxy looks like http://proxy.example.com:3128 or socks5h://127.0.0.1:1080.",
                neverSent: true
            )
        }
        self.options = options
        loop = try CurlLoop.start()
    }

    deinit {
        loop.stop()
    }

    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: The request; its path is complete.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``LatchkeyCore/TransportError``; `cancelled` as soon as the task is cancelled, `invalidRequest` for a
    ///   request that could go elsewhere.
    public func send(
        _ request: HTTPRequest,
        to origin: String
    ) async throws(TransportError) -> HTTPResponse {
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
