package import LatchkeyWire

/// A transport that reports every exchange, with secrets masked.
package struct RecordingTransport: WrappingTransport {
    /// The transport that sends the requests.
    package let base: any Transport
    private let server: String
    private let recorder: ExchangeRecorder

    /// Creates a transport that wraps another one.
    ///
    /// - Parameters:
    ///   - base: The transport that sends the requests.
    ///   - server: The origin of the identity server. Bodies exchanged with this server are always shown.
    ///   - recorder: Is called on any thread when an exchange has ended.
    package init(_ base: any Transport, server: String, recorder: ExchangeRecorder) {
        self.base = base
        self.server = server
        self.recorder = recorder
    }

    /// Sends a request and reports the exchange, even if it fails.
    ///
    /// - Parameters:
    ///   - request: The request, which is sent unmasked.
    ///   - origin: The scheme, host and port to send the request to.
    ///   - limits: The limits for the exchange.
    /// - Returns: The response returned by the wrapped transport, unchanged.
    /// - Throws: The error thrown by the wrapped transport, unchanged.
    package func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        let outcome: Result<HTTP.Response, TransportError>
        do throws(TransportError) {
            outcome = .success(try await base.send(request, to: origin, limits: limits))
        } catch {
            outcome = .failure(error)
        }
        report(request, to: origin, outcome: outcome)
        return try outcome.get()
    }

    /// Sends a request whose bodies are streamed, and reports the exchange without the streamed bodies.
    ///
    /// - Parameters:
    ///   - request: The request, which is sent unmasked.
    ///   - upload: The request body to stream.
    ///   - origin: The scheme, host and port to send the request to.
    ///   - limits: The limits for the exchange.
    /// - Returns: The response returned by the wrapped transport, unchanged.
    /// - Throws: The error thrown by the wrapped transport, unchanged.
    package func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        do throws(TransportError) {
            let answer = try await base.streamOrBuffer(request, upload: upload, to: origin, limits: limits)
            report(
                request,
                to: origin,
                outcome: .success(HTTP.Response(answer.status, headers: answer.headers))
            )
            return answer
        } catch {
            report(request, to: origin, outcome: .failure(error))
            throw error
        }
    }

    private func report(
        _ request: HTTP.Request,
        to origin: String,
        outcome: Result<HTTP.Response, TransportError>
    ) {
        recorder.record(
            RecordedExchange(
                origin: Redaction.address(origin),
                request: request,
                outcome: outcome,
                showsBodies: origin == server || recorder.showsBodiesOfOtherOrigins
            )
        )
    }
}
