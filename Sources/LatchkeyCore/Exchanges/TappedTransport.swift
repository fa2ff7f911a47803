package import LatchkeyWire

/// A transport that tells about every exchange, with the secrets taken out.
package struct TappedTransport: Transport {
    private let base: any Transport
    private let tap: @Sendable (Exchange) -> Void

    /// Taps a transport.
    ///
    /// - Parameters:
    ///   - base: What carries the requests.
    ///   - tap: Is told about every exchange when it is over; called on any thread.
    package init(_ base: any Transport, tap: @escaping @Sendable (Exchange) -> Void) {
        self.base = base
        self.tap = tap
    }

    /// Sends one request and tells about it.
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
        tap(Exchange(origin: origin, request: request, outcome: outcome))
        return try outcome.get()
    }
}
