import LatchkeyModel
import LatchkeyWire

/// The events of the current session.
extension IdentityAPI {
    /// The time that a poll waits for an event.
    static let eventWait: Duration = .seconds(25)
    /// The maximum size of the response to a poll, and of an error.
    private static let eventLimit = 64 * 1024

    /// Whether events can be received as a stream; otherwise they have to be polled.
    var deliversEventStreams: Bool { transport.deliversParts }

    /// Opens the event stream of a session.
    ///
    /// - Parameters:
    ///   - token: The session token.
    ///   - id: The id of the last event of the previous stream; empty if there was none.
    /// - Returns: The body of the stream.
    /// - Throws: ``LatchkeyError``, which does not contain the token.
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
            let type = streamed.headers["Content-Type"]?.prefix { $0 != ";" } ?? ""
            if streamed.status == 200, String(type).equalsIgnoringASCIICase(ServerSentEvent.mediaType) {
                return streamed.body
            }
            answer = HTTP.Response(
                streamed.status,
                headers: streamed.headers,
                body: try await streamed.body.collected(upTo: Self.eventLimit)
            )
        } catch {
            throw LatchkeyError(transport: error)
        }
        throw refusal(answer, to: token)
    }

    /// Waits for the events of a session.
    ///
    /// - Parameters:
    ///   - token: The session token.
    ///   - id: The id of the state that the client knows; empty if it knows none.
    /// - Returns: The events, which may be empty.
    /// - Throws: ``LatchkeyError``, which does not contain the token.
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
        guard answer.status == 200,
            let body = try? JSONCoding.decode(SessionEventsBody.self, from: answer.body)
        else { throw refusal(answer, to: token) }
        return body
    }

    private func refusal(_ answer: HTTP.Response, to token: Secret) -> LatchkeyError {
        if (200..<300).contains(answer.status) { return .unexpected(answer) }
        return LatchkeyError(refusal: ServerRefusal(decoding: answer, from: .other).without([token]))
    }
}
