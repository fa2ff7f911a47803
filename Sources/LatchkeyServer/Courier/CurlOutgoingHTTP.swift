import LatchkeyCore
import LatchkeyCurl
import LatchkeyServerCore
import LatchkeyWire

/// Carries the server's own requests by libcurl.
struct CurlOutgoingHTTP: OutgoingHTTP {
    private let transport: CurlTransport

    /// Creates the carrier.
    ///
    /// - Parameter timeout: The longest that any exchange may take.
    /// - Throws: When libcurl cannot be used.
    init(timeout: Duration) throws(TransportError) {
        var options = CurlOptions()
        options.timeout = timeout
        options.connectTimeout = min(timeout, options.connectTimeout)
        transport = try CurlTransport(options: options)
    }

    func send(
        _ request: HTTPRequest,
        to origin: String,
        timeout: Duration
    ) async throws(OutgoingHTTPError) -> HTTPResponse {
        do throws(TransportError) {
            return try await transport.send(request, to: origin)
        } catch {
            throw OutgoingHTTPError(error.message)
        }
    }
}
