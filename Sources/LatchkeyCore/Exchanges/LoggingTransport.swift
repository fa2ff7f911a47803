import LatchkeyWire

/// A transport that logs all requests.
///
/// Queries, header fields and bodies are not logged.
struct LoggingTransport: WrappingTransport {
    let base: any Transport
    private let logger: any LatchkeyLogger

    init(_ base: any Transport, logger: any LatchkeyLogger) {
        (self.base, self.logger) = (base, logger)
    }

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        do throws(TransportError) {
            let answer = try await base.send(request, to: origin, limits: limits)
            log(request, to: origin, status: answer.status)
            return answer
        } catch {
            log(request, to: origin, error: error)
            throw error
        }
    }

    func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        do throws(TransportError) {
            let answer = try await base.streamOrBuffer(request, upload: upload, to: origin, limits: limits)
            log(request, to: origin, status: answer.status)
            return answer
        } catch {
            log(request, to: origin, error: error)
            throw error
        }
    }

    private func log(_ request: HTTP.Request, to origin: String, status: Int) {
        log(
            status < 500 ? .debug : .warning,
            request: request,
            to: origin,
            outcome: "responded with status \(status)",
            metadata: ["status": String(status)]
        )
    }

    private func log(_ request: HTTP.Request, to origin: String, error: TransportError) {
        log(
            error.code == .cancelled ? .debug : .warning,
            request: request,
            to: origin,
            outcome: "failed: \(error.code.rawValue)",
            metadata: ["error": error.code.rawValue]
        )
    }

    private func log(
        _ level: LogEvent.Level,
        request: HTTP.Request,
        to origin: String,
        outcome: String,
        metadata: [String: String]
    ) {
        let (origin, path) = (Redaction.address(origin), Redaction.path(request.path))
        let method = request.method.rawValue
        var metadata = metadata
        (metadata["method"], metadata["origin"], metadata["path"]) = (method, origin, path)
        logger.log(
            LogEvent(
                level: level,
                name: "request",
                message: "\(method) \(origin)\(path) \(outcome).",
                metadata: metadata
            )
        )
    }
}
