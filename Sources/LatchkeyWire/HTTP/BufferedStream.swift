import LatchkeyModel

extension Transport {
    /// Sends a request and streams the request and response bodies.
    ///
    /// If the transport can't stream, complete bodies are buffered in memory instead.
    ///
    /// - Parameters:
    ///   - request: The request, including its full path.
    ///   - upload: The body to upload, or `nil` to send the body of `request`.
    ///   - origin: The scheme, host and port.
    ///   - limits: The limits for this exchange.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``TransportError`` if there is no response.
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
                    message: "The request body could not be produced.",
                    neverSent: true,
                    cause: error
                )
            }
            request.body = parts.withLock { $0 }
        }
        // Streamed bodies can have any size, unless the caller sets a limit.
        let limits = RequestLimits(timeout: limits.timeout, bodyLimit: limits.bodyLimit ?? .max)
        let answer = try await send(request, to: origin, limits: limits)
        return HTTP.StreamedResponse(
            answer.status,
            headers: answer.headers,
            body: HTTP.ResponseBody(BufferedBody(answer.body))
        )
    }
}

/// A response body that has already been received completely.
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
