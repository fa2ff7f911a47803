import LatchkeyMicrohttpd
package import LatchkeyModel
package import LatchkeyServer
import LatchkeyServerKit

/// A test server with real sockets, on a free port of the loopback interface.
///
/// Call ``stop()`` at the end of the test, because the server's threads don't end on their own.
///
/// While the server isn't running, requests either get a 503 or fail because the connection is refused.
public final class SocketTestServer: Sendable {
    /// The underlying server, which also provides the clock and the codes that have been sent.
    public let server: TestServer

    private let http: HTTPServer
    private let slot: ReplaceableHandler

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - storage: Where the server's database is stored.
    ///   - time: The server's clock. Connection timeouts use the system's clock instead.
    ///   - catalog: The products that the server sells, or `nil` for a server without the purchase API.
    /// - Throws: The socket or server error that prevented the server from starting.
    public convenience init(
        storage: TestServer.Storage = .memory,
        time: VirtualTime = VirtualTime(),
        catalog: TestCatalog? = nil
    ) async throws {
        try await self.init(
            storage: storage,
            time: time,
            configuration: TestServer.configuration(selling: catalog != nil),
            catalog: catalog
        )
    }

    /// Starts a server with the given configuration, on a free port of the loopback interface.
    ///
    /// The socket is opened before the server starts, because the server's URL contains the port. If the
    /// server fails to start, the socket is closed again.
    ///
    /// - Parameters:
    ///   - storage: Where the server's database is stored.
    ///   - time: The server's clock. Connection timeouts use the system's clock instead.
    ///   - configuration: The server's settings. The address and port are ignored.
    ///   - random: The random source for the server's ids, codes and tokens.
    ///   - catalog: The products that the server sells, or `nil` for those in the configured catalog.
    /// - Throws: The socket or server error that prevented the server from starting.
    package init(
        storage: TestServer.Storage = .memory,
        time: VirtualTime = VirtualTime(),
        configuration: ServerConfiguration,
        random: any RandomSource = SystemRandom(),
        catalog: TestCatalog? = nil
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
                url: "http://127.0.0.1:\(http.boundPort ?? 0)",
                catalog: catalog
            )
        } catch {
            await http.stop()
            throw error
        }
        slot.fill(server.handler)
    }

    /// The server's base URL, including its port.
    public var url: String { server.address }

    /// Closes the sockets and stops the server.
    ///
    /// The server stops accepting connections first. Calling this method again has no effect.
    public func stop() async {
        await http.stop()
        slot.fill(nil)
        await server.stop()
    }
}
