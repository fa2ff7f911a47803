import LatchkeyCore
import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The environment in which a transport is tested.
///
/// The transport may connect to one server, and must not connect to another one.
final class TransportFixture: Sendable {
    /// The transport under test.
    let transport: any Transport

    /// The port of the server that the transport may connect to.
    let port: Int

    /// A proxy that the transport must not connect to.
    ///
    /// The proxy forwards requests to the server, so that even a request that must not reach the proxy gets a
    /// response.
    let foreign: RecordingProxy

    /// The time limit of each streamed exchange, which ends checks of faulty transports.
    let patience: Duration

    private let http: HTTPServer
    private let handler: RecordingHandler
    private let empty: Int32

    /// Starts the servers and opens the transport.
    ///
    /// - Throws: The error from a socket or a thread, or the error that `open` throws.
    init(patience: Duration, _ open: TransportConformance.Opening) throws {
        self.patience = patience
        let handler = RecordingHandler()
        let http = HTTPServer(
            configuration: HTTPServer.Configuration(address: "127.0.0.1", port: 0),
            handler: handler
        )
        try http.start()
        (self.handler, self.http) = (handler, http)
        port = http.boundPort ?? 0
        foreign = try RecordingProxy(to: port)
        empty = try LoopbackSocket.bound()
        transport = try open("http://127.0.0.1:\(port)") { request in await handler.answer(request) }
    }

    /// The origin of the server that the transport may connect to.
    var origin: String { "http://127.0.0.1:\(port)" }

    /// An origin whose port refuses connections.
    ///
    /// The port's socket is bound but doesn't listen, so no other process can use the port.
    var emptyOrigin: String { "http://127.0.0.1:\(LoopbackSocket.port(of: empty))" }

    /// The requests that the server has received since the last reset.
    var requests: [HTTP.Request] { handler.requests }

    /// Removes the recorded requests and sets the responder for the following requests.
    func reset(_ responder: @escaping TransportConformance.Responder = { _ in HTTP.Response(200) }) {
        handler.reset(responder)
    }

    /// Sends a request that should fail and returns its error, or `nil` if there was a response.
    func failure(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits = RequestLimits()
    ) async -> TransportError? {
        do throws(TransportError) {
            _ = try await transport.send(request, to: origin, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    /// Stops the servers and closes the sockets.
    ///
    /// The fixture can't be used after it has been closed.
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

/// A handler that records every request and responds using the check's responder.
private final class RecordingHandler: HTTPHandler {
    private struct State: Sendable {
        var requests: [HTTP.Request] = []
        var responder: TransportConformance.Responder = { _ in HTTP.Response(200) }
    }

    private let state = Locked(State())

    var requests: [HTTP.Request] { state.withLock { $0.requests } }

    func reset(_ responder: @escaping TransportConformance.Responder) {
        state.withLock { $0 = State(responder: responder) }
    }

    func answer(_ request: HTTP.Request) async -> HTTP.Response {
        let responder = state.withLock { state in
            state.requests.append(request)
            return state.responder
        }
        return await responder(request)
    }

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        await answer(request)
    }
}
