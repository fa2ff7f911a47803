import LatchkeyCurl
import LatchkeyServerKit
import LatchkeyWire

/// An HTTP client for the server's outgoing requests, based on libcurl.
struct CurlOutgoingHTTP: OutgoingHTTP {
    private let transport: CurlTransport

    /// Creates the client.
    ///
    /// - Parameter timeout: The time limit for a request and its response, including the time it takes to
    ///   connect.
    /// - Throws: `TransportError` if libcurl is unavailable.
    init(timeout: Duration) throws(TransportError) {
        var options = CurlOptions()
        options.timeout = timeout
        options.connectTimeout = min(timeout, options.connectTimeout)
        transport = try CurlTransport(options: options)
    }

    /// Sends a request, using the timeout that was passed to the initializer.
    ///
    /// The `timeout` argument is ignored. This method returns a response regardless of its status, and also
    /// if its body could not be received.
    ///
    /// - Throws: ``OutgoingHTTPError`` if no status line is received.
    func send(
        _ request: HTTP.Request,
        to origin: String,
        timeout: Duration
    ) async throws(OutgoingHTTPError) -> HTTP.Response {
        do throws(TransportError) {
            return try await transport.send(request, to: origin)
        } catch {
            if let head = error.head { return head }
            throw OutgoingHTTPError(error.message)
        }
    }
}
