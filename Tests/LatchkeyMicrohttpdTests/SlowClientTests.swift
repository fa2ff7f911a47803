import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyMicrohttpd

@Suite struct `Slow clients` {
    private let start = ContinuousClock.now

    /// A test case: the bytes that bring a connection into a phase, and the time limit for that phase.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let sent: String
        let phase: ConnectionPhase
        let limit: Int
        var isAnswered = false
    }

    @Test(arguments: [
        Case(testDescription: "silent from the start", sent: "", phase: .fresh, limit: 10),
        Case(testDescription: "amid the first line", sent: "GET / HT", phase: .fresh, limit: 10),
        Case(
            testDescription: "amid the fields",
            sent: "GET / HTTP/1.1\r\nHost: h\r\n",
            phase: .head,
            limit: 10
        ),
        Case(
            testDescription: "amid the body",
            sent: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n12345",
            phase: .body,
            limit: 20
        ),
        Case(
            testDescription: "amid a chunk",
            sent: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12",
            phase: .body,
            limit: 20
        ),
        Case(
            testDescription: "between two requests",
            sent: "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            phase: .idle,
            limit: 60,
            isAnswered: true
        ),
        Case(
            testDescription: "amid the fields of a second request",
            sent: "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nX",
            phase: .head,
            limit: 10,
            isAnswered: true
        ),
    ]) func `A slow client is disconnected even if it sends more bytes`(slow: Case) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(slow.sent)
            if slow.isAnswered { _ = try await client.readAnswer() }
            #expect(await eventually { server.phases == [slow.phase] })

            server.sweep(now: start)
            server.sweep(now: start + .seconds(slow.limit))
            if slow.phase == .body || slow.phase == .head { await client.send("1") }
            #expect(server.phases == [slow.phase])
            server.sweep(now: start + .seconds(slow.limit + 1))
            #expect(try await client.readToEnd() == "")
            #expect(await eventually { server.phases.isEmpty })
        }
    }

    @Test func `A slow client is disconnected even without other activity`() async throws {
        let shortLived: (inout HTTPServer.Configuration) -> Void = {
            $0.headerTimeout = .milliseconds(1)
            $0.sweepsByItself = true
        }
        try await withServer(configure: shortLived) { server in
            let client = try RawClient(port: server.boundPort)
            #expect(try await client.readToEnd() == "")
        }
    }

    @Test func `A client is not disconnected while the handler is working`() async throws {
        let gate = Gate()
        try await withServer(gate) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await eventually { server.phases == [.handling] && gate.waiting == 1 })
            server.sweep(now: start)
            server.sweep(now: start + .seconds(3600))
            gate.open()
            #expect(try await client.readAnswer().body == "through")
        }
    }

    @Test func `The time limit restarts with each request on a connection`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            for turn in 0..<5 {
                await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await client.readAnswer().status == 200)
                #expect(await eventually { server.phases == [.idle] })
                server.sweep(now: start + .seconds(50 * turn))
            }
            #expect(server.phases == [.idle])
        }
    }

    @Test func `A client that does not read its response is disconnected`() async throws {
        struct Flood: HTTPHandler {
            func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
                HTTP.Response(200, body: [UInt8](repeating: 0x78, count: 32 << 20))
            }
        }
        try await withServer(Flood()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await eventually { server.phases == [.answering] })
            server.sweep(now: start)
            server.sweep(now: start + .seconds(21))
            #expect(await eventually { server.phases.isEmpty })
            _ = client
        }
    }
}
