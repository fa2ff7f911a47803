import LatchkeyCurl
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// A client for the admin API of a running server.
package struct RemoteOperator: Sendable {
    private static let timeout: Duration = .seconds(30)

    private let transport: CurlTransport
    /// The URL of the admin listener.
    ///
    /// If the URL has a path, the path of each request is appended to it.
    private let address: OutgoingAddress
    private let token: Secret?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - url: The URL of the admin listener.
    ///   - token: The admin token, or `nil` to send requests without credentials.
    /// - Throws: `OutgoingHTTPError` if the URL is invalid or if libcurl is unavailable.
    package init(url: String, token: Secret?) throws(OutgoingHTTPError) {
        guard let address = OutgoingAddress(url) else {
            throw OutgoingHTTPError("“\(url)” is not the URL of a server")
        }
        self.address = address
        self.token = token
        var options = CurlOptions()
        options.timeout = Self.timeout
        do throws(TransportError) {
            transport = try CurlTransport(options: options)
        } catch {
            throw OutgoingHTTPError(error.message)
        }
    }

    /// Sends a request and returns the response.
    ///
    /// The time limit is 30 seconds. If there is a token, the `Authorization` header field of the request is
    /// replaced.
    ///
    /// - Parameter request: The request to send. The path of the request is relative to the URL of the admin
    ///   listener.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``OutgoingHTTPError`` if no complete response is received.
    package func send(_ request: HTTP.Request) async throws(OutgoingHTTPError) -> HTTP.Response {
        var request = request
        if address.path != "/" { request.path = address.path + request.path }
        if let token { request.headers["Authorization"] = "Bearer " + token.exposed }
        do throws(TransportError) {
            return try await transport.send(request, to: address.origin)
        } catch {
            throw OutgoingHTTPError(error.message)
        }
    }
}
