import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A handler that streams the parts that a test passes to ``send(_:)``.
final class PartSource: HTTPHandler {
    private struct Failure: Error {}

    private struct State {
        var begun = 0
        var written = 0
        var cancelled = 0
        var hasFailed = false
    }

    private let parts: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let farewell: String?
    private let isLongLived: Bool
    private let state = Locked(State())

    /// - Parameters:
    ///   - farewell: The last part, which is written even if the task is cancelled.
    ///   - isLongLived: Whether the body is long-lived.
    init(farewell: String? = nil, isLongLived: Bool = false) {
        (parts, continuation) = AsyncStream.makeStream(of: String.self)
        self.farewell = farewell
        self.isLongLived = isLongLived
    }

    var begun: Int { state.withLock { $0.begun } }
    var written: Int { state.withLock { $0.written } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    func send(_ part: String) { continuation.yield(part) }
    func finish() { continuation.finish() }

    func fail() {
        state.withLock { $0.hasFailed = true }
        continuation.finish()
    }

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        var response = HTTP.Response(200)
        response.stream = HTTP.BodyStream(isLongLived: isLongLived) { write in
            // A cancelled producer either fails to write or reaches the end of the parts while it waits for
            // the next one.
            defer { if Task.isCancelled { self.state.withLock { $0.cancelled += 1 } } }
            try await self.produce(write)
        }
        return response
    }

    private func produce(_ write: HTTP.BodyStream.Write) async throws {
        state.withLock { $0.begun += 1 }
        for await part in parts {
            try await write(Array(part.utf8))
            state.withLock { $0.written += 1 }
        }
        if let farewell { try await write(Array(farewell.utf8)) }
        if state.withLock({ $0.hasFailed }) { throw Failure() }
    }
}
