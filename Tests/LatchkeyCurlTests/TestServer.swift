import LatchkeyCurl
import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Runs a test with a transport and a server on a free loopback port.
func withServer(
    _ handler: any HTTPHandler,
    options: CurlOptions = .patient,
    body: (CurlTransport, String) async throws -> Void
) async throws {
    let server = HTTPServer(configuration: .init(), handler: handler)
    try server.start()
    do {
        try await body(try CurlTransport(options: options), "http://127.0.0.1:\(server.boundPort ?? 0)")
        await server.stop()
    } catch {
        await server.stop()
        throw error
    }
}

extension CurlOptions {
    /// Options with long timeouts for busy machines.
    static var patient: CurlOptions {
        var options = CurlOptions()
        (options.connectTimeout, options.timeout) = (.seconds(120), .seconds(240))
        return options
    }
}

/// Responds with a description of the request.
struct Echo: HTTPHandler {
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        var lines = ["\(request.method.rawValue) \(request.path) \(request.query ?? "-")"]
        lines += request.headers.fields.map { "\($0.name)=\($0.value)" }.sorted()
        return HTTP.Response(
            request.path == "/missing" ? 404 : 200,
            headers: [
                "X-Lines": lines.joined(separator: "|"), "x-twice": "1", "X-Twice": "2",
            ],
            body: request.body
        )
    }
}

/// Responds with the client's port, which identifies the connection.
struct Ports: HTTPHandler {
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        HTTP.Response(200, body: Array("\(peer.port ?? 0)".utf8))
    }
}

/// A handler that doesn't respond to any request until the test calls ``open()``.
final class Gate: HTTPHandler {
    private struct State {
        var isOpen = false
        var asked = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        await withCheckedContinuation { continuation in
            let (isOpen, watchers) = state.withLock { state in
                state.asked += 1
                let met = state.watchers.filter { $0.count <= state.asked }
                state.watchers.removeAll { $0.count <= state.asked }
                if !state.isOpen { state.waiting.append(continuation) }
                return (state.isOpen, met)
            }
            if isOpen { continuation.resume() }
            for watcher in watchers { watcher.continuation.resume() }
        }
        return HTTP.Response(200)
    }

    /// Waits until the given number of requests have been received.
    func asked(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.asked < count { state.watchers.append((count, continuation)) }
                return state.asked >= count
            }
            if isMet { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
