import Glibc
import LatchkeyServerKit
import Testing

@testable import LatchkeyMicrohttpd

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Connection floods` {
    private static let halfHead = "GET / HTTP/1.1\r\nHost: h\r\nX-Half: "

    /// Raises this process's limit on open files to the maximum.
    init() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    @Test func `Other clients are served while one address sends 4300 partial requests`() async throws {
        try await withServer(configure: { $0.maxConnectionsPerAddress = $0.maxConnections / 4 }) { server in
            var clients: [RawClient] = []
            for _ in 0..<4300 {
                let client = try RawClient(port: server.boundPort)
                await client.send(Self.halfHead)
                clients.append(client)
            }
            #expect(await eventually { server.connectionCount == 1024 })

            let other = try RawClient(port: server.boundPort, from: "127.0.0.2")
            await other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await other.readAnswer().status == 200)
            let another = try RawClient(port: server.boundPort)
            #expect(try await another.readToEnd() == "")

            // Once the connections have ended, the address can connect again.
            server.sweep(now: .now)
            server.sweep(now: .now + .seconds(11))
            #expect(await eventually { server.connectionCount <= 1 })
            let again = try RawClient(port: server.boundPort)
            await again.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await again.readAnswer().status == 200)
            withExtendedLifetime(clients) {}
        }
    }

    @Test func `Clients are served normally after a flood of connections`() async throws {
        let small: (inout HTTPServer.Configuration) -> Void = {
            $0.maxConnections = 40
            $0.threads = 4
        }
        try await withServer(configure: small) { server in
            for _ in 0..<5 {
                let clients = try (0..<800).map { _ in try RawClient(port: server.boundPort) }
                #expect(server.connectionCount <= 40)
                withExtendedLifetime(clients) {}
            }
            #expect(await eventually { server.connectionCount == 0 })
            // The server may still have to reject connections from the flood before it responds to the first
            // request.
            while (try? await Self.answer(of: server)) == nil {}
            for _ in 0..<8 { #expect(try await Self.answer(of: server).status == 200) }
        }
    }

    private static func answer(of server: HTTPServer) async throws -> RawAnswer {
        let client = try RawClient(port: server.boundPort)
        await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        return try await client.readAnswer()
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true, true), ("192.0.2.1", "192.0.2.2", false, false),
        ("192.0.2.1", "::ffff:192.0.2.1", true, true),
        ("2001:db8:1:1::1", "2001:db8:1:1:ffff::2", true, true),
        ("2001:db8:1:1::1", "2001:db8:1:2::1", false, true),
        ("2001:db8:1:1::1", "2001:db8:2:1::1", false, false),
    ])
    func `The number of connections is limited per IPv4 address and per 64-bit and 48-bit IPv6 prefix`(
        one: String,
        other: String,
        isOneClient: Bool,
        isOneSite: Bool
    ) throws {
        let (one, other) = try (networks(of: one), networks(of: other))
        #expect(one.map(\.share) == [1, 2])
        #expect((one[0] == other[0]) == isOneClient)
        #expect((one[1] == other[1]) == isOneSite)
    }

    private func networks(of text: String) throws -> [ClientNetwork] {
        ClientNetwork.all(of: try #require(IPAddress(text)))
    }
}
