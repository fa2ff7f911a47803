import LatchkeyCore
import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The surroundings of a transport that is checked: the server that it reaches, and one that it must leave alone.
final class TransportScene: Sendable {
    /// The transport.
    let transport: any Transport

    /// The port of the server.
    let port: Int

    /// Where a connection would be a violation.
    let foreign: RecordingProxy

    private let http: HTTPServer
    private let desk: Desk
    private let empty: Int32

    init(_ open: TransportConformance.Opening) throws {
        let desk = Desk()
        let http = HTTPServer(
            configuration: HTTPServer.Configuration(address: "127.0.0.1", port: 0),
            handler: desk
        )
        try http.start()
        (self.desk, self.http) = (desk, http)
        port = http.boundPort ?? 0
        foreign = try RecordingProxy(to: port)
        empty = try LoopbackSocket.bound()
        transport = try open("http://127.0.0.1:\(port)") { request in await desk.answer(request) }
    }

    /// The origin of the server.
    var origin: String { "http://127.0.0.1:\(port)" }

    /// An origin at which nothing listens.
    var emptyOrigin: String { "http://127.0.0.1:\(LoopbackSocket.port(of: empty))" }

    /// What has arrived since the last reset.
    var requests: [HTTPRequest] { desk.requests }

    /// Forgets what has arrived, and sets what is answered from now on.
    func reset(_ responder: @escaping TransportConformance.Responder = { _ in HTTPResponse(200) }) {
        desk.reset(responder)
    }

    /// Sends a request that is meant to fail; `nil` if an answer comes.
    func failure(_ request: HTTPRequest, to origin: String) async -> TransportError? {
        do throws(TransportError) {
            _ = try await transport.send(request, to: origin)
            return nil
        } catch {
            return error
        }
    }

    func close() async {
        foreign.stop()
        await http.stop()
        _ = shutdown(empty, Int32(SHUT_RDWR))
        #if canImport(Darwin)
        _ = Darwin.close(empty)
        #else
        _ = Glibc.close(empty)
        #endif
    }
}

/// Notes every request, and answers it as the check wants.
private final class Desk: HTTPHandler {
    private struct State: Sendable {
        var requests: [HTTPRequest] = []
        var responder: TransportConformance.Responder = { _ in HTTPResponse(200) }
    }

    private let state = Locked(State())

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func reset(_ responder: @escaping TransportConformance.Responder) {
        state.withLock { $0 = State(responder: responder) }
    }

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let responder = state.withLock { state in
            state.requests.append(request)
            return state.responder
        }
        return await responder(request)
    }

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        await answer(request)
    }
}
