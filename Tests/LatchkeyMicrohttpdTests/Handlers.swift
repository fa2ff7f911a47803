import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A handler that lists the parts of the request in its response.
struct Echo: HTTPHandler {
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        var lines = [
            "\(request.method.rawValue) \(request.path) \(request.query ?? "-") \(request.body.count)"
        ]
        lines += request.headers.fields.map { "\($0.name)=\($0.value)" }
        let text = lines.joined(separator: "\n") + "\n" + String(decoding: request.body, as: UTF8.self)
        return HTTP.Response(200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8))
    }
}

/// Responds from another thread.
///
/// While the other thread is working, the server suspends the connection.
struct Detour: HTTPHandler {
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        await Task.detached { HTTP.Response(200, body: request.body + Array(request.path.utf8)) }.value
    }
}

/// A handler that doesn't respond to any request until the test calls ``open()``.
final class Gate: HTTPHandler {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var finished = 0
        var cancelled = 0
    }

    private let state = Locked(State())

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        state.withLock { state in
            state.finished += 1
            if Task.isCancelled { state.cancelled += 1 }
        }
        return HTTP.Response(200, body: Array("through".utf8))
    }

    var waiting: Int { state.withLock { $0.waiting.count } }
    var finished: Int { state.withLock { $0.finished } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
