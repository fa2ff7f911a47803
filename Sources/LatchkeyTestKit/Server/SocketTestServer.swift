import LatchkeyMicrohttpd
package import LatchkeyModel
import LatchkeyServer
package import LatchkeyServerCore

/// A test server that clients reach over real sockets, on a free port of the loopback interface.
///
/// ``stop()`` it when the test is over: its threads do not end by themselves.
public final class SocketTestServer: Sendable {
    /// The server behind the sockets, with its clock and its codes.
    public let server: TestServer

    private let http: HTTPServer
    private let slot: HandlerSlot

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - storage: Where it keeps its data.
    ///   - time: Its clock; deadlines of connections run on the system's.
    /// - Throws: What kept it from starting.
    public convenience init(
        storage: TestServer.Storage = .memory,
        time: VirtualTime = VirtualTime()
    ) async throws {
        try await self.init(storage: storage, time: time, settings: ServerSettings())
    }

    package init(
        storage: TestServer.Storage = .memory,
        time: VirtualTime = VirtualTime(),
        settings: ServerSettings,
        random: any RandomSource = SystemRandom()
    ) async throws {
        slot = HandlerSlot()
        http = HTTPServer(
            configuration: HTTPServer.Configuration(address: "127.0.0.1", port: 0),
            handler: slot
        )
        try http.start()
        do {
            server = try await TestServer(
                storage: storage,
                time: time,
                settings: settings,
                random: random,
                url: "http://127.0.0.1:\(http.boundPort ?? 0)"
            )
        } catch {
            await http.stop()
            throw error
        }
        slot.fill(server.handler)
    }

    /// The address under which clients reach the server.
    public var url: String { server.settings.baseURL }

    /// Closes the sockets and stops the server.
    public func stop() async {
        await http.stop()
        slot.fill(nil)
        await server.stop()
    }
}
