package import LatchkeyWire

/// A transport that reports every exchange with secrets masked.
package struct TappedTransport: Transport {
    private let base: any Transport
    private let server: String
    private let options: ExchangeOptions
    private let tap: @Sendable (Exchange) -> Void

    /// Creates a transport around another one.
    ///
    /// - Parameters:
    ///   - base: The transport that sends the requests.
    ///   - server: The origin of the identity server, whose bodies are always shown.
    ///   - options: Options for the contents of the exchanges.
    ///   - tap: Called with every exchange when it has ended, on any thread.
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

    /// Sends a request and reports the exchange, also if it failed.
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
