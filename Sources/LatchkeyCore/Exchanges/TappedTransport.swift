package import LatchkeyWire

/// A transport that reports every exchange, with the secrets removed.
package struct TappedTransport: Transport {
    private let base: any Transport
    private let server: String
    private let options: ExchangeOptions
    private let tap: @Sendable (Exchange) -> Void

    /// Taps a transport.
    ///
    /// - Parameters:
    ///   - base: What carries the requests.
    ///   - server: The origin of the identity server.
    ///   - options: What the exchanges show.
    ///   - tap: Is called with every exchange when it has ended, on any thread.
    package init(
        _ base: any Transport,
        server: String,
        options: ExchangeOptions = ExchangeOptions(),
        tap: @escaping @Sendable (Exchange) -> Void
    ) {
        self.base = base
        self.server = server
        self.options = options
        self.tap = tap
    }

    /// Sends one request and reports it.
    package func send(
        _ request: HTTPRequest,
        to origin: String
    ) async throws(TransportError) -> HTTPResponse {
        let outcome: Result<HTTPResponse, TransportError>
        do throws(TransportError) {
            outcome = .success(try await base.send(request, to: origin))
        } catch {
            outcome = .failure(error)
        }
        tap(
            Exchange(
                origin: Redaction.address(origin),
                request: request,
                outcome: outcome,
                showsBodies: origin == server || options.showsBodiesOfOtherOrigins
            )
        )
        return try outcome.get()
    }
}
