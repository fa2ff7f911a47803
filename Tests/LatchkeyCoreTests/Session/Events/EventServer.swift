import LatchkeyCore
import LatchkeyModel
import LatchkeyTesting
import LatchkeyWire
import Testing

/// A transport that handles the session events route itself and passes all other requests to the fake server.
final class EventServer: StreamingTransport {
    static let path = "/a/sessions/events"

    /// An open event stream.
    final class Stream: HTTP.ResponseBody.Source {
        private struct State {
            var parts: [[UInt8]] = []
            var end: TransportError?
            var hasEnded = false
            var waiting: CheckedContinuation<Void, Never>?
            var reads = 0
        }

        let request: HTTP.Request
        private let state = Locked(State())
        private let closed: @Sendable () -> Void

        init(_ request: HTTP.Request, closed: @escaping @Sendable () -> Void) {
            (self.request, self.closed) = (request, closed)
        }

        deinit {
            closed()
        }

        var lastEventID: String? { request.headers["Last-Event-ID"] }

        /// Sends an event to the client.
        func send(_ type: String, id: String = "") {
            send(ServerSentEvent(id: id, type: type, data: "{}").bytes)
        }

        func send(_ bytes: [UInt8]) {
            wake { $0.parts.append(bytes) }
        }

        /// Ends the stream, either normally or with an error.
        func end(_ code: TransportError.Code? = nil) {
            wake { state in
                state.end = code.map { TransportError($0, message: "The test ended the stream.") }
                state.hasEnded = true
            }
        }

        private func wake(_ change: (inout State) -> Void) {
            let waiting = state.withLock { state in
                change(&state)
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }

        func next() async throws(TransportError) -> [UInt8]? {
            while true {
                let (part, hasEnded, error) = state.withLock { state in
                    (state.parts.isEmpty ? nil : state.parts.removeFirst(), state.hasEnded, state.end)
                }
                if let part { return part }
                if let error { throw error }
                if hasEnded || Task.isCancelled { return nil }
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        let mustWait = state.withLock { state in
                            guard state.parts.isEmpty, !state.hasEnded, !Task.isCancelled else {
                                return false
                            }
                            state.waiting = continuation
                            return true
                        }
                        if !mustWait { continuation.resume() }
                    }
                } onCancel: {
                    wake { _ in }
                }
            }
        }
    }

    private struct State {
        var streams: [Stream] = []
        var opened = 0
        var closed = 0
        var answers: [HTTP.Response] = []
        var failures: [TransportError.Code] = []
    }

    let server: FakeIdentityServer
    private let state = Locked(State())

    init(_ server: FakeIdentityServer = FakeIdentityServer()) {
        self.server = server
    }

    /// The number of requests that were made to the session events route.
    var opened: Int { state.withLock { $0.opened } }
    /// The number of streams that the client has closed.
    var closed: Int { state.withLock { $0.closed } }

    /// Sets the response to the next request to the session events route.
    func answer(_ response: HTTP.Response) {
        state.withLock { $0.answers.append(response) }
    }

    /// Makes the next request to the session events route fail.
    func fail(_ code: TransportError.Code) {
        state.withLock { $0.failures.append(code) }
    }

    /// Waits for the next stream to be opened, and returns it.
    func stream() async throws -> Stream {
        await wait(until: "a stream is open") { state.withLock { !$0.streams.isEmpty } }
        return try #require(state.withLock { $0.streams.isEmpty ? nil : $0.streams.removeFirst() })
    }

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        try await server.send(request, to: origin, limits: limits)
    }

    func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        guard request.path == Self.path else {
            let answer = try await server.send(request, to: origin)
            return Self.streamed(answer, request)
        }
        let (failure, answer) = state.withLock { state in
            state.opened += 1
            return (
                state.failures.isEmpty ? nil : state.failures.removeFirst(),
                state.answers.isEmpty ? nil : state.answers.removeFirst()
            )
        }
        if let failure { throw TransportError(failure, message: "The test made this request fail.") }
        if let answer { return Self.streamed(answer, request) }
        let stream = Stream(request) { [weak self] in self?.state.withLock { $0.closed += 1 } }
        state.withLock { $0.streams.append(stream) }
        return HTTP.StreamedResponse(
            200,
            headers: ["Content-Type": "text/event-stream"],
            body: HTTP.ResponseBody(stream)
        )
    }

    private static func streamed(_ answer: HTTP.Response, _ request: HTTP.Request) -> HTTP.StreamedResponse {
        let body = Stream(request) {}
        if !answer.body.isEmpty { body.send(answer.body) }
        body.end()
        return HTTP.StreamedResponse(answer.status, headers: answer.headers, body: HTTP.ResponseBody(body))
    }
}
