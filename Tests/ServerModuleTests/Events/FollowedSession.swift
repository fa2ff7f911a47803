import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

/// An event stream that a test reads until it ends.
final class FollowedSession: Sendable {
    private struct State {
        var parser = ServerSentEventParser()
        var text = ""
        var events: [ServerSentEvent] = []
        var hasEnded = false
    }

    let head: HTTP.Response
    private let state = Locked(State())
    private let task: Locked<Task<Void, Never>?>

    /// Starts reading the stream of a response.
    ///
    /// - Parameters:
    ///   - response: The response, which must contain a stream.
    ///   - isSlow: A closure that is called for each part of the stream. The next part isn't read until the
    ///     closure returns.
    /// - Throws: An error if the response isn't a stream.
    init(_ response: HTTP.Response, _ isSlow: @escaping @Sendable () async -> Void = {}) throws {
        head = response
        task = Locked(nil)
        let stream = try #require(response.stream, "\(response.status)")
        let reading = Task { [state] in
            try? await stream.produce { part in
                try Task.checkCancellation()
                await isSlow()
                try state.withLock { state in
                    state.text += String(decoding: part, as: UTF8.self)
                    state.events += try state.parser.parse(part)
                }
            }
            state.withLock { $0.hasEnded = true }
        }
        task.withLock { $0 = reading }
    }

    deinit {
        leave()
    }

    /// Disconnects from the stream.
    func leave() {
        task.withLock { $0 }?.cancel()
    }

    var text: String { state.withLock { $0.text } }
    var events: [ServerSentEvent] { state.withLock { $0.events } }
    var types: [String] { events.map(\.type) }
    var lastID: String { state.withLock { $0.parser.lastID } }
    var retry: Int64? { state.withLock { $0.parser.retry } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The number of comments that were sent to keep the connection open.
    var comments: Int { text.split(separator: "\n", omittingEmptySubsequences: false).count { $0 == ":" } }

    /// Waits until the stream has sent exactly these events.
    func expect(_ types: [String], sourceLocation: SourceLocation = #_sourceLocation) async {
        await wait(until: "the events are \(types)", sourceLocation: sourceLocation) { self.types == types }
        #expect(self.types == types, sourceLocation: sourceLocation)
    }

    /// Waits until the stream has ended.
    func expectEnd(sourceLocation: SourceLocation = #_sourceLocation) async {
        await wait(until: "the stream has ended", sourceLocation: sourceLocation) { hasEnded }
    }
}

extension SelfServiceServer {
    /// Requests the events of a session as a stream.
    func stream(_ token: String, after id: String? = nil) async -> Answer {
        var headers: HTTP.Headers = ["Accept": "text/event-stream"]
        if let id { headers["Last-Event-ID"] = id }
        return await get(Route.sessionEvents, token: token, headers: headers)
    }

    /// Opens the event stream of a session and waits for its first event.
    func follow(_ token: String, after id: String? = nil) async throws -> FollowedSession {
        let followed = try FollowedSession(await stream(token, after: id).response)
        await wait(until: "the first event has arrived") { !followed.events.isEmpty }
        return followed
    }

    /// Polls for the events of a session.
    func poll(_ token: String, after id: String? = nil, wait: Int? = nil) async -> Answer {
        var query: [String] = []
        if let id { query.append("after=" + QueryItems.encode(id)) }
        if let wait { query.append("wait=\(wait)") }
        let request = HTTP.Request(
            .get,
            "/a" + Route.sessionEvents,
            query: query.isEmpty ? nil : query.joined(separator: "&"),
            headers: ["X-Session-Token": token]
        )
        return await send(request)
    }
}

extension Answer {
    /// The event types in the response to a poll.
    var eventTypes: [String] { body["events"]?.elements.compactMap { $0["type"]?.text } ?? [] }
}
