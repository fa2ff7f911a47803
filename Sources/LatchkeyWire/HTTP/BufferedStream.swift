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
        if let upload { request.body = try await upload.collected(within: limits.timeout) }
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

extension HTTP.Upload {
    /// Produces the whole body, for transports that cannot send it while it is being produced.
    ///
    /// - Parameter limit: The time limit for the producer, or `nil` for none.
    /// - Returns: The body.
    /// - Throws: ``TransportError`` with the code `invalidRequest` if the producer throws an error or the body
    ///   doesn't have the announced length, `timedOut` at the time limit, or `cancelled` if the task is
    ///   cancelled.
    package func collected(within limit: Duration? = nil) async throws(TransportError) -> [UInt8] {
        let isLate = Locked(false)
        let production = Task { await produced() }
        let timer = limit.flatMap { limit in
            RequestLimits.isUnlimited(limit)
                ? nil
                : Task {
                    try await SystemTime().sleep(for: limit)
                    isLate.withLock { $0 = true }
                    production.cancel()
                }
        }
        defer { timer?.cancel() }
        let result = await withTaskCancellationHandler {
            await production.value
        } onCancel: {
            production.cancel()
        }
        if case .failure = result, isLate.withLock({ $0 }) {
            throw TransportError(
                .timedOut,
                message: "The request body was not produced in time.",
                neverSent: true
            )
        }
        return try result.get()
    }

    private func produced() async -> Result<[UInt8], TransportError> {
        struct Excess: Error {}
        let parts = Locked<[UInt8]>([])
        do {
            try await produce { [length] part in
                try parts.withLock { parts in
                    parts += part
                    if let length, parts.count > length { throw Excess() }
                }
            }
        } catch {
            guard !(error is Excess) else { return .failure(Self.wrongLength) }
            let message = "The request body could not be produced."
            let code: TransportError.Code = Task.isCancelled ? .cancelled : .invalidRequest
            return .failure(TransportError(code, message: message, neverSent: true, cause: error))
        }
        let body = parts.withLock { $0 }
        return length == nil || length == body.count ? .success(body) : .failure(Self.wrongLength)
    }

    private static let wrongLength = TransportError(
        .invalidRequest,
        message: "The request body does not have the announced length.",
        neverSent: true
    )
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
