import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyMicrohttpd

@Suite(.timeLimit(.minutes(5))) struct `Long-lived streamed responses` {
    private static let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let lastChunk = "0\r\n\r\n"

    @Test func `Each part is sent as a chunk, and the connection is closed at the end`()
        async throws
    {
        let source = PartSource(isLongLived: true)
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            source.send("first")
            let head = try await client.read { $0.hasSuffix("5\r\nfirst\r\n") }
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
            #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(head.contains("\r\nConnection: close\r\n"))
            #expect(!head.lowercased().contains("content-length"))

            source.send("second")
            #expect(try await client.read { $0.hasSuffix("\r\n") } == "6\r\nsecond\r\n")
            source.finish()
            #expect(try await client.readToEnd() == Self.lastChunk)
            #expect(await eventually { server.connectionCount == 0 })
        }
    }

    @Test func `A stream works on a connection that has served other requests`() async throws {
        let source = PartSource(isLongLived: true)
        try await withServer(Alternating(source)) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody")
            _ = try await client.readAnswer()
            await client.send(Self.request)
            source.send("part")
            source.finish()
            #expect(try await client.readToEnd().hasSuffix("4\r\npart\r\n" + Self.lastChunk))
        }
    }

    @Test func `The producer is not called for HEAD, and the connection stays open`() async throws {
        let source = PartSource(isLongLived: true)
        try await withServer(Alternating(source)) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody")
            _ = try await client.readAnswer()
            await client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
            let head = try await client.read { $0.hasSuffix("\r\n\r\n") }
            #expect(head.hasPrefix("HTTP/1.1 200 "))
            #expect(!head.lowercased().contains("content-length"))
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody")
            #expect(try await client.readAnswer().status == 200)
            #expect(source.begun == 0)
        }
    }

    @Test func `Responses to HTTP 1_0 clients are not chunked`() async throws {
        let source = PartSource(isLongLived: true)
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
        let source = PartSource(isLongLived: true)
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
        let source = PartSource(isLongLived: true)
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            source.send("part")
            source.fail()
            #expect(try await client.readToEnd().hasSuffix("4\r\npart\r\n"))
        }
    }

    @Test func `The producer is cancelled as soon as the client disconnects`() async throws {
        let source = PartSource(isLongLived: true)
        try await withServer(source) { server in
            do {
                let client = try RawClient(port: server.boundPort)
                await client.send(Self.request)
                #expect(await eventually { source.begun == 1 })
            }
            // The response doesn't contain any parts, so no write fails.
            #expect(await eventually { source.cancelled == 1 && server.connectionCount == 0 })
        }
    }

    @Test func `A client that sends endlessly is disconnected`() async throws {
        let source = PartSource(isLongLived: true)
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            #expect(await eventually { source.begun == 1 })
            await client.send(String(repeating: "x", count: 1 << 20))
            #expect(await eventually { source.cancelled == 1 && server.connectionCount == 0 })
        }
    }

    @Test func `There is no time limit while the producer waits`() async throws {
        let source = PartSource(isLongLived: true)
        let start = ContinuousClock.now
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            #expect(await eventually { server.phases == [.producing] && source.begun == 1 })
            server.sweep(now: start)
            server.sweep(now: start + .seconds(3600))
            source.send("late")
            source.finish()
            #expect(try await client.readToEnd().contains("late"))
        }
    }

    @Test func `The producer waits for a slow client, and a client that does not read is disconnected`()
        async throws
    {
        let source = PartSource(isLongLived: true)
        let start = ContinuousClock.now
        let parts = 256
        try await withServer(source) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(Self.request)
            for _ in 0..<parts { source.send(String(repeating: "x", count: 1 << 20)) }
            source.finish()
            #expect(await eventually { server.phases == [.answering] && source.written > 0 })
            // The server extends the time limit whenever the socket's buffers grow, so one sweep may not be
            // enough.
            let written = source.written
            #expect(written < parts)
            #expect(
                await eventually {
                    server.sweep(now: start)
                    server.sweep(now: start + .seconds(21))
                    return server.phases.isEmpty && source.cancelled == 1
                }
            )
            #expect(source.written < parts)
            _ = client
        }
    }

    @Test func `A stream counts towards the connection limit`() async throws {
        let source = PartSource(isLongLived: true)
        try await withServer(source, configure: { $0.maxConnectionsPerAddress = 2 }) { server in
            let clients = try (0..<2).map { _ in try RawClient(port: server.boundPort) }
            for client in clients { await client.send(Self.request) }
            #expect(await eventually { source.begun == 2 && server.connectionCount == 2 })
            let third = try RawClient(port: server.boundPort)
            await third.send(Self.request)
            // The connection may also be reset.
            #expect((try? await third.readToEnd())?.isEmpty != false)
            _ = clients
        }
    }

    @Test func `The producer can complete the body when the server stops`() async throws {
        let source = PartSource(farewell: "bye", isLongLived: true)
        let server = HTTPServer(configuration: .unhurried, handler: source)
        try server.start()
        let client = try RawClient(port: server.boundPort)
        await client.send(Self.request)
        #expect(await eventually { server.phases == [.producing] && source.begun == 1 })
        await server.stop()
        #expect(try await client.readToEnd().hasSuffix("3\r\nbye\r\n" + Self.lastChunk))
    }

    @Test func `The server ends a body that takes longer than the drain timeout`() async throws {
        let stubborn = Stubborn(isLongLived: true)
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

    @Test func `Hundreds of concurrent streams end when the server stops`() async throws {
        let source = PartSource(farewell: "bye", isLongLived: true)
        let server = HTTPServer(configuration: .unhurried, handler: source)
        try server.start()
        let clients = try (0..<300).map { _ in try RawClient(port: server.boundPort) }
        for client in clients { await client.send(Self.request) }
        #expect(await eventually { source.begun == clients.count })
        await server.stop()
        for client in clients { #expect(try await client.readToEnd().hasSuffix("bye\r\n" + Self.lastChunk)) }
    }
}

/// Handles POST requests and forwards all other requests.
private struct Alternating: HTTPHandler {
    private let other: any HTTPHandler

    init(_ other: any HTTPHandler) {
        self.other = other
    }

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard request.method == .post else { return await other.respond(to: request, from: peer) }
        return HTTP.Response(200, body: request.body)
    }
}
