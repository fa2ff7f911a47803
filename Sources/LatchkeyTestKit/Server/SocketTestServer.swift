import LatchkeyMicrohttpd
package import LatchkeyModel
package import LatchkeyServer
import LatchkeyServerKit

/// A test server with real sockets, on a free port of the loopback interface.
///
/// Call ``stop()`` at the end of the test, because the server's threads do not end by themselves.
///
/// Requests that arrive before the start is complete or after a stop receive status 503, or their connection
/// is refused.
public final class SocketTestServer: Sendable {
    /// The server behind the sockets, with its clock and the codes that it has sent.
    public let server: TestServer

    private let http: HTTPServer
    private let slot: ReplaceableHandler

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - storage: The storage of the server's database.
    ///   - time: The server's clock; the timeouts of connections use the system's clock instead.
    /// - Throws: The error of the socket or the server that prevented the start.
    public convenience init(
        storage: TestServer.Storage = .memory,
        time: VirtualTime = VirtualTime()
    ) async throws {
        try await self.init(storage: storage, time: time, configuration: TestServer.configuration())
    }

    /// Starts a server with the given configuration, on a free port of the loopback interface.
    ///
    /// The socket is opened before the server starts, because the server's URL contains the port. If the
    /// start fails, the socket is closed again.
    ///
    /// - Parameters:
    ///   - storage: The storage of the server's database.
    ///   - time: The server's clock; the timeouts of connections use the system's clock instead.
    ///   - configuration: The operator's settings; their address and port are ignored.
    ///   - random: The random source for the server's ids, codes and tokens.
    /// - Throws: The error of the socket or the server that prevented the start.
    package init(
        storage: TestServer.Storage = .memory,
        time: VirtualTime = VirtualTime(),
        configuration: ServerConfiguration,
        random: any RandomSource = SystemRandom()
    ) async throws {
        slot = ReplaceableHandler()
        http = HTTPServer(
            configuration: HTTPServer.Configuration(address: "127.0.0.1", port: 0),
            handler: slot
        )
        try http.start()
        do {
            server = try await TestServer(
                storage: storage,
                time: time,
                configuration: configuration,
                random: random,
                url: "http://127.0.0.1:\(http.boundPort ?? 0)"
            )
        } catch {
            await http.stop()
            throw error
        }
        slot.fill(server.handler)
    }

    /// The base URL of the server, with its port.
    public var url: String { server.address }

    /// Closes the sockets and stops the server.
    ///
    /// The server first stops accepting connections. Later calls have no effect.
    public func stop() async {
        await http.stop()
        slot.fill(nil)
        await server.stop()
    }
}
