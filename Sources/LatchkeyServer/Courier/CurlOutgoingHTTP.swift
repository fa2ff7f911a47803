import LatchkeyCurl
import LatchkeyServerKit
import LatchkeyWire

/// An HTTP client for the server's outgoing requests, based on libcurl.
struct CurlOutgoingHTTP: OutgoingHTTP {
    private let transport: CurlTransport

    /// Creates the client.
    ///
    /// - Parameter timeout: The time limit for a request and its response, including the time to connect.
    /// - Throws: `TransportError` if libcurl cannot be used.
    init(timeout: Duration) throws(TransportError) {
        var options = CurlOptions()
        options.timeout = timeout
        options.connectTimeout = min(timeout, options.connectTimeout)
        transport = try CurlTransport(options: options)
    }

    /// Sends a request with the timeout that was passed to the initializer, and ignores the argument
    /// `timeout`.
    ///
    /// - Throws: ``OutgoingHTTPError`` if there is no response. A response is returned whatever its status
    ///   is.
    func send(
        _ request: HTTP.Request,
        to origin: String,
        timeout: Duration
    ) async throws(OutgoingHTTPError) -> HTTP.Response {
        do throws(TransportError) {
            return try await transport.send(request, to: origin)
        } catch {
            throw OutgoingHTTPError(error.message)
        }
    }
}
