import LatchkeyWire
import Testing

@testable import LatchkeyMicrohttpd

@Suite(.timeLimit(.minutes(5))) struct `HTTP server lifecycle` {
    @Test func `The server can listen on a free port but not on one in use`() async throws {
        try await withServer { server in
            let port = try #require(server.boundPort)
            #expect(port > 0)
            let second = HTTPServer(configuration: .init(port: port), handler: Echo())
            let error = #expect(throws: HTTPServerError.self) { try second.start() }
            #expect("\(error.map { "\($0)" } ?? "")".contains("\(port)"))
            #expect(second.boundPort == nil)
        }
    }

    @Test func `The server can listen on IPv6`() async throws {
        try await withServer(configure: { $0.address = "::1" }) { server in
            #expect((server.boundPort ?? 0) > 0)
        }
    }

    @Test func `An invalid listen address is reported`() {
        let server = HTTPServer(configuration: .init(address: "not an address"), handler: Echo())
        #expect(throws: HTTPServerError.self) { try server.start() }
    }

    @Test func `A running server cannot be started again until it is stopped`() async throws {
        let server = HTTPServer(configuration: .unhurried, handler: Echo())
        try server.start()
        #expect(throws: HTTPServerError.self) { try server.start() }
        await server.stop()
        await server.stop()
        #expect(server.boundPort == nil)
        try server.start()
        #expect(server.boundPort != nil)
        await server.stop()
    }

    @Test func `Stopping completes requests in progress and rejects new ones`() async throws {
        let gate = Gate()
        let server = HTTPServer(configuration: .unhurried, handler: gate)
        try server.start()
        let port = server.boundPort
        let (working, idle) = (try RawClient(port: port), try RawClient(port: port))
        await working.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(
            await eventually {
                server.phases.contains(.handling) && server.phases.count == 2 && gate.waiting == 1
            }
        )

        async let stopped: Void = server.stop()
        #expect(try await idle.readToEnd() == "")
        #expect(throws: RawClient.Failure.self) { _ = try RawClient(port: port) }
        gate.open()
        let answer = try #require(RawAnswer(try await working.readToEnd()))
        #expect(answer.status == 200 && answer.body == "through")
        #expect(answer["connection"] == "close")
        await stopped
    }

    @Test func `A partially sent request gets a response when the server stops`() async throws {
        let server = HTTPServer(configuration: .unhurried, handler: Echo())
        try server.start()
        let client = try RawClient(port: server.boundPort)
        await client.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n1")
        #expect(await eventually { server.phases == [.body] })
        async let stopped: Void = server.stop()
        await client.send("2")
        #expect(RawAnswer(try await client.readToEnd())?.status == 200)
        await stopped
    }

    @Test func `The server stops and responds even if a handler does not return`() async throws {
        let gate = Gate()
        var configuration = HTTPServer.Configuration.unhurried
        configuration.drainTimeout = .milliseconds(20)
        let server = HTTPServer(configuration: configuration, handler: gate)
        try server.start()
        let clients = try (0..<8).map { _ in try RawClient(port: server.boundPort) }
        for client in clients { await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        #expect(await eventually { gate.waiting == 8 })

        async let stopped: Void = server.stop()
        for client in clients {
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 503 && answer.isEnvelope && answer["connection"] == "close")
        }
        await stopped
        // The late responses are discarded.
        gate.open()
        #expect(await eventually { gate.finished == 8 })
        #expect(gate.cancelled == 8)
    }

    @Test func `The server stops even if a client does not complete its request`() async throws {
        var configuration = HTTPServer.Configuration.unhurried
        configuration.drainTimeout = .milliseconds(20)
        let server = HTTPServer(configuration: configuration, handler: Echo())
        try server.start()
        let client = try RawClient(port: server.boundPort)
        await client.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n1")
        #expect(await eventually { server.phases == [.body] })
        await server.stop()
        #expect(try await client.readToEnd() == "")
    }

    @Test func `The server can be stopped under heavy load`() async throws {
        for _ in 0..<5 {
            let server = HTTPServer(configuration: .unhurried, handler: Detour())
            try server.start()
            let clients = try (0..<16).map { _ in try RawClient(port: server.boundPort) }
            let requests = String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 200)
            await withTaskGroup { group in
                for client in clients.dropFirst() {
                    group.addTask { await client.send(requests) }
                }
                await clients[0].send(requests)
                _ = try? await clients[0].read { $0.contains("HTTP/1.1 200") }
                await server.stop()
            }
        }
    }

    @Test func `The number of connections from one address is limited`() async throws {
        try await withServer(configure: { $0.maxConnectionsPerAddress = 2 }) { server in
            let clients = try (0..<2).map { _ in try RawClient(port: server.boundPort) }
            for client in clients {
                await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await client.readAnswer().status == 200)
            }
            let third = try RawClient(port: server.boundPort)
            #expect(try await third.readToEnd() == "")
        }
    }
}
