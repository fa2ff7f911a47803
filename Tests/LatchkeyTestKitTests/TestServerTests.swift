import LatchkeyCore
import LatchkeyCurl
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Test servers` {
    private let whoami = HTTP.Request(.get, "/a" + Route.whoami)

    @Test func `The server responds in process, even after a restart, but not while stopped`() async throws {
        let server = try await TestServer()
        let transport = server.transport()
        #expect(try await transport.send(whoami, to: TestServer.url).status == 401)
        try await server.restart()
        #expect(try await transport.send(whoami, to: TestServer.url).status == 401)
        await server.stop()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(whoami, to: TestServer.url)
        }
        #expect(error?.code == .unreachable)
        #expect(error?.neverSent == true)
    }

    @Test func `The server responds over sockets on a free port, even after a restart`() async throws {
        let transport = try CurlTransport()
        let first = try await SocketTestServer()
        let second = try await SocketTestServer()
        #expect(first.url != second.url)
        #expect(try await transport.send(whoami, to: first.url).status == 401)
        try await first.server.restart()
        #expect(try await transport.send(whoami, to: first.url).status == 401)
        await first.stop()
        await #expect(throws: TransportError.self) { try await transport.send(whoami, to: first.url) }
        #expect(try await transport.send(whoami, to: second.url).status == 401)
        await second.stop()
    }
}
