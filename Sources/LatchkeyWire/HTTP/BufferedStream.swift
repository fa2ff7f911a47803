import LatchkeyModel

extension Transport {
    /// Sends one request with bodies in parts, or with complete bodies in memory if the transport cannot
    /// stream.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path.
    ///   - upload: The body of the request; `nil` sends the request's own body.
    ///   - origin: Scheme, host and port.
    ///   - limits: The limits of the exchange.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``TransportError``.
    package func streamOrBuffer(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        if let transport = self as? any StreamingTransport {
            return try await transport.stream(request, upload: upload, to: origin, limits: limits)
        }
        var request = request
        if let upload {
            let parts = Locked<[UInt8]>([])
            do {
                try await upload.produce { part in parts.withLock { $0 += part } }
            } catch {
                throw TransportError(
                    Task.isCancelled ? .cancelled : .invalidRequest,
                    message: "The body of the request could not be produced.",
                    neverSent: true
                )
            }
            request.body = parts.withLock { $0 }
        }
        let answer = try await send(request, to: origin, limits: limits)
        return HTTP.StreamedResponse(
            answer.status,
            headers: answer.headers,
            body: HTTP.ResponseBody(BufferedBody(answer.body))
        )
    }
}

/// A body that has already arrived.
private final class BufferedBody: HTTP.ResponseBody.Source {
    private let rest: Locked<[UInt8]?>

    init(_ body: [UInt8]) {
        rest = Locked(body.isEmpty ? nil : body)
    }

    func next() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }
}
