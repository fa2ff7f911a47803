import Testing

@testable import LatchkeyMicrohttpd

@Suite(.timeLimit(.minutes(5))) struct `Streamed responses` {
    private static let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let lastChunk = "0\r\n\r\n"

    @Test func `Each part is sent as a chunk when it is produced`() async throws {
        let source = PartSource()
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            source.send("first")
            let head = try await client.read { $0.hasSuffix("5\r\nfirst\r\n") }
            #expect(head.hasPrefix("HTTP/1.1 200 "))
            #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(!head.lowercased().contains("content-length"))

            source.send("second")
            #expect(try await client.read { $0.hasSuffix("\r\n") } == "6\r\nsecond\r\n")
            source.finish()
            #expect(try await client.read { $0.hasSuffix("\r\n\r\n") } == Self.lastChunk)
        }
    }

    @Test func `The connection stays open for the next request`() async throws {
        let source = PartSource()
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            source.send("all")
            source.finish()
            for _ in 0..<3 {
                await client.send(Self.request)
                _ = try await client.read { $0.hasSuffix(Self.lastChunk) }
            }
            #expect(await eventually { server.phases == [.idle] })
        }
    }

    @Test func `The connection to an HTTP 1_0 client is closed after the body`() async throws {
        let source = PartSource()
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            source.send("all of it")
            source.finish()
            await client.send("GET / HTTP/1.0\r\n\r\n")
            let text = try await client.readToEnd()
            #expect(text.hasSuffix("\r\n\r\nall of it"))
            #expect(!text.contains("chunked"))
        }
    }

    @Test func `Parts larger than any buffer are forwarded in full`() async throws {
        let source = PartSource()
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/1.0\r\n\r\n")
            let part = String(repeating: "0123456789", count: 500_000)
            source.send(part)
            source.finish()
            #expect(try await client.readToEnd().hasSuffix("\r\n\r\n" + part))
        }
    }

    @Test func `If the producer fails, the connection is closed without the last chunk`() async throws {
        let source = PartSource()
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            source.send("part")
            source.fail()
            let text = try await client.readToEnd()
            #expect(text.hasSuffix("4\r\npart\r\n"))
        }
    }

    @Test func `The producer is not called for HEAD requests`() async throws {
        let source = PartSource()
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(try await client.readToEnd().hasSuffix("\r\n\r\n"))
            #expect(source.begun == 0)
        }
    }

    @Test func `There is no time limit while the producer waits`() async throws {
        let source = PartSource()
        let start = ContinuousClock.now
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            #expect(await eventually { server.phases == [.producing] && source.begun == 1 })
            server.sweep(now: start)
            server.sweep(now: start + .seconds(3600))
            source.send("late")
            source.finish()
            #expect(try await client.read { $0.hasSuffix(Self.lastChunk) }.contains("late"))
        }
    }

    @Test func `The producer waits for a slow client, and a client that does not read is disconnected`()
        async throws
    {
        let source = PartSource()
        let start = ContinuousClock.now
        let parts = 256
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            for _ in 0..<parts { source.send(String(repeating: "x", count: 1 << 20)) }
            source.finish()
            #expect(await eventually { server.phases == [.answering] && source.written > 0 })
            server.sweep(now: start)
            server.sweep(now: start + .seconds(21))
            #expect(await eventually { server.phases.isEmpty && source.cancelled == 1 })
            #expect(source.written < parts)
            _ = client
        }
    }

    @Test func `If a client has disconnected, its producer is cancelled at the next part`() async throws {
        let source = PartSource()
        try await withServer(source) { server in
            do {
                let client = try RawClient(port: server.boundPort)
                await client.send(Self.request)
                source.send("part")
                _ = try await client.read { $0.contains("part") }
            }
            #expect(
                await eventually {
                    source.send("more")
                    return source.cancelled == 1
                }
            )
            #expect(await eventually { server.phases.isEmpty })
        }
    }

    @Test func `The producer can complete the body when the server stops`() async throws {
        let source = PartSource(farewell: "bye")
        let server = HTTPServer(configuration: .unhurried, handler: source)
        try server.start()
        let client = try RawClient(port: server.boundPort)
        await client.send(Self.request)
        #expect(await eventually { server.phases == [.producing] && source.begun == 1 })
        await server.stop()
        #expect(try await client.readToEnd().hasSuffix("3\r\nbye\r\n" + Self.lastChunk))
    }

    @Test func `The server ends a body that takes longer than the drain timeout`() async throws {
        let stubborn = Stubborn()
        var configuration = HTTPServer.Configuration.unhurried
        configuration.drainTimeout = .zero
        let server = HTTPServer(configuration: configuration, handler: stubborn)
        try server.start()
        let client = try RawClient(port: server.boundPort)
        await client.send(Self.request)
        #expect(await eventually { stubborn.gate.waiting == 1 })
        await server.stop()
        #expect(try await client.readToEnd().hasSuffix("\r\n\r\n"))
        stubborn.gate.open()
        #expect(await eventually { stubborn.outcome == "CancellationError()" })
    }
}
