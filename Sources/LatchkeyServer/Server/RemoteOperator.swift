import LatchkeyCore
package import LatchkeyModel
package import LatchkeyServerCore
package import LatchkeyWire

/// The operator's API of a server that runs elsewhere.
package struct RemoteOperator: Sendable {
    private static let timeout: Duration = .seconds(30)

    private let transport: CurlOutgoingHTTP
    private let address: OutgoingAddress
    private let token: Secret?

    /// Creates a way to a server.
    ///
    /// - Parameters:
    ///   - url: The address of its operator's listener.
    ///   - token: The operator's token, where it wants one.
    /// - Throws: When the address is none, or libcurl cannot be used.
    package init(url: String, token: Secret?) throws(OutgoingHTTPError) {
        guard let address = OutgoingAddress(url) else {
            throw OutgoingHTTPError("“\(url)” is no address of a server")
        }
        self.address = address
        self.token = token
        do {
            transport = try CurlOutgoingHTTP(timeout: Self.timeout)
        } catch {
            throw OutgoingHTTPError(error.message)
        }
    }

    /// Sends a request and waits for the answer.
    package func send(_ request: HTTPRequest) async throws(OutgoingHTTPError) -> HTTPResponse {
        var request = request
        if address.path != "/" { request.path = address.path + request.path }
        if let token { request.headers["Authorization"] = "Bearer " + token.exposed }
        return try await transport.send(request, to: address.origin, timeout: Self.timeout)
    }
}
