import LatchkeyModel
import LatchkeyWire

/// Requests for receiving events about the current session.
extension IdentityAPI {
    /// The time that the server waits for an event before it responds to a poll.
    static let eventWait: Duration = .seconds(25)
    /// The maximum size of a poll response or an error response, in bytes.
    private static let eventLimit = 64 * 1024

    /// Whether events can be received as a stream.
    ///
    /// If this is `false`, the client has to poll for events.
    var deliversEventStreams: Bool { transport.deliversParts }

    /// Opens the event stream for a session.
    ///
    /// - Parameters:
    ///   - token: The session token.
    ///   - id: The id of the last event in the previous stream, or an empty string if there was none.
    /// - Returns: The body of the stream.
    /// - Throws: ``LatchkeyError``. The error doesn't contain the token.
    func eventStream(_ token: Secret, after id: String) async throws(LatchkeyError) -> HTTP.ResponseBody {
        guard !Task.isCancelled else { throw .cancelled }
        var request = HTTP.Request(
            .get,
            selfService + Route.sessionEvents,
            headers: ["X-Session-Token": token.exposed, "Accept": ServerSentEvent.mediaType]
        )
        if !id.isEmpty { request.headers["Last-Event-ID"] = id }
        headers.add(to: &request)
        let answer: HTTP.Response
        do throws(TransportError) {
            try RequestTarget.check(request)
            let streamed = try await transport.streamOrBuffer(
                request,
                upload: nil,
                to: server.origin,
                limits: RequestLimits()
            )
            let head = HTTP.Response(streamed.status, headers: streamed.headers)
            if head.status == 200, head.mediaType.equalsIgnoringASCIICase(ServerSentEvent.mediaType) {
                return streamed.body
            }
            answer = HTTP.Response(
                head.status,
                headers: head.headers,
                body: try await streamed.body.collected(upTo: Self.eventLimit)
            )
        } catch {
            throw LatchkeyError(transport: error)
        }
        throw LatchkeyError(rejection: answer, hiding: [token])
    }

    /// Waits for events about a session.
    ///
    /// - Parameters:
    ///   - token: The session token.
    ///   - id: The id of the last state that the client received, or an empty string if it hasn't received
    ///     one.
    /// - Returns: The events, if any.
    /// - Throws: ``LatchkeyError``. The error doesn't contain the token.
    func pollEvents(_ token: Secret, after id: String) async throws(LatchkeyError) -> SessionEventsBody {
        guard !Task.isCancelled else { throw .cancelled }
        var query = "wait=\(Self.eventWait.components.seconds)"
        if !id.isEmpty { query += "&after=" + QueryItems.encode(id) }
        var request = HTTP.Request(
            .get,
            selfService + Route.sessionEvents,
            query: query,
            headers: ["X-Session-Token": token.exposed, "Accept": "application/json"]
        )
        headers.add(to: &request)
        let answer: HTTP.Response
        do throws(TransportError) {
            try RequestTarget.check(request)
            answer = try await transport.send(
                request,
                to: server.origin,
                limits: RequestLimits(timeout: Self.eventWait + .seconds(15), bodyLimit: Self.eventLimit)
            )
        } catch {
            throw LatchkeyError(transport: error)
        }
        guard answer.status == 200, let body = answer.decoded(as: SessionEventsBody.self) else {
            throw LatchkeyError(rejection: answer, hiding: [token])
        }
        return body
    }
}
