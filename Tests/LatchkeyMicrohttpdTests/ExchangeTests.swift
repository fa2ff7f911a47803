import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyMicrohttpd

@Suite struct `HTTP exchanges over a socket` {
    @Test func `The handler receives the method, path, query and header fields unchanged`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(
                "GET /a%2Fb%zz/%00?x=%20&y=1+2 HTTP/1.1\r\nHost: h\r\nX-Two:  b \t\r\nX-None:\r\n\r\n"
            )
            let answer = try await client.readAnswer()
            #expect(answer.status == 200)
            #expect(answer.body == "GET /a%2Fb%zz/%00 x=%20&y=1+2 0\nHost=h\nX-Two=b\nX-None=\n")
        }
    }

    @Test(arguments: [
        (Array("caf\u{E9}".utf8), "caf\u{E9}"), (Array("caf".utf8) + [0xE9], "caf\u{E9}"),
        ([0xFF, 0x80, 0x41], "\u{FF}\u{80}A"),
    ])
    func `A header field that is not UTF-8 is read as ISO-8859-1`(_ value: [UInt8], _ text: String)
        async throws
    {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(
                Array("GET / HTTP/1.1\r\nHost: h\r\nCookie: a=".utf8) + value + Array("\r\n\r\n".utf8)
            )
            let answer = try await client.readAnswer()
            #expect(answer.status == 200 && answer.body == "GET / - 0\nHost=h\nCookie=a=\(text)\n")
        }
    }

    @Test func `A response has Date and Content-Length fields but no Server field`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let answer = try await client.readAnswer()
            #expect(answer["date"]?.hasSuffix(" GMT") == true)
            #expect(answer["content-length"] == "\(answer.body.utf8.count)")
            #expect(answer["content-type"] == "text/plain")
            #expect(answer["server"] == nil)
            #expect(answer["connection"] == nil)
        }
    }

    @Test(arguments: [
        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nT: 1\r\n\r\n",
        "POST /x HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello",
    ]) func `The handler receives the request body`(request: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(request)
            let answer = try await client.readAnswer()
            #expect(answer.body.hasPrefix("POST /x - 5\n") && answer.body.hasSuffix("\nhello"))
        }
    }

    @Test func `The handler receives a body that arrives byte by byte`() async throws {
        // Timeouts of 600 seconds leave enough time for fifty round trips on a busy machine. There are other
        // tests for the timeouts.
        let patient: (inout HTTPServer.Configuration) -> Void = {
            $0.headerTimeout = .seconds(600)
            $0.bodyTimeout = .seconds(600)
        }
        try await withServer(configure: patient) { server in
            let client = try RawClient(port: server.boundPort)
            for character in "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc" {
                await client.send(String(character))
            }
            #expect(try await client.readAnswer().body.hasSuffix("\nabc"))
        }
    }

    @Test func `A request with Expect: 100-continue gets a 100 response`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
            )
            let invitation = try await client.read { $0.hasSuffix("\r\n\r\n") }
            #expect(invitation == "HTTP/1.1 100 Continue\r\n\r\n")
            await client.send("ok")
            #expect(try await client.readAnswer().body.hasSuffix("\nok"))
        }
    }

    @Test func `The response to a HEAD request has a Content-Length but no body`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let text = try await client.readToEnd()
            let answer = try #require(RawAnswer(text, toHead: true))
            #expect(answer["content-length"] == "\("HEAD /x - 0\nHost=h\nConnection=close\n".utf8.count)")
            #expect(answer.rest.isEmpty)
        }
    }

    @Test func `The handler receives requests with an unknown method`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("BREW /pot HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.readAnswer().body.hasPrefix("BREW /pot - 0\n"))
        }
    }

    @Test func `The authority is removed from an absolute request target`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET HTTP://real.example/x?y HTTP/1.1\r\nHost: other\r\n\r\n")
            #expect(try await client.readAnswer().body == "GET /x y 0\nHost=real.example\n")
            await client.send("GET http://real.example HTTP/1.1\r\nHost: other\r\n\r\n")
            #expect(try await client.readAnswer().body == "GET / - 0\nHost=real.example\n")
        }
    }

    @Test func `The connection stays open for sequential and pipelined requests`() async throws {
        try await withServer(Detour()) { server in
            let client = try RawClient(port: server.boundPort)
            let requests = (0..<20).map { "POST /\($0) HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n-" }
            await client.send(requests.joined())
            let text = try await client.read { $0.hasSuffix("-/19") }
            var rest = text
            for number in 0..<20 {
                let answer = try #require(RawAnswer(rest))
                #expect(answer.body == "-/\(number)")
                rest = answer.rest
            }
            #expect(rest.isEmpty)
        }
    }

    @Test func `An HTTP 1_0 request or Connection: close ends the connection`() async throws {
        try await withServer { server in
            for head in ["GET / HTTP/1.0\r\n", "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"] {
                let client = try RawClient(port: server.boundPort)
                await client.send(head + "\r\n")
                #expect(RawAnswer(try await client.readToEnd())?.status == 200)
            }
        }
    }

    @Test func `The handler gets the client's address`() async throws {
        struct Who: HTTPHandler {
            func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
                HTTP.Response(200, body: Array("\(peer.address) \((peer.port ?? 0) > 1023)".utf8))
            }
        }
        try await withServer(Who()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.readAnswer().body == "127.0.0.1 true")
        }
    }

    @Test func `Hundreds of query items reach the handler unchanged`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            let query = Array(repeating: "a=b", count: 1500).joined(separator: "&")
            await client.send("GET /?\(query) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.readAnswer().body.hasPrefix("GET / \(query) 0\n"))
        }
    }

    @Test func `The server handles 200 concurrent connections`() async throws {
        try await withServer(Detour()) { server in
            let clients = try (0..<200).map { _ in try RawClient(port: server.boundPort) }
            try await withThrowingTaskGroup(of: [String].self) { group in
                for client in clients {
                    group.addTask {
                        var bodies: [String] = []
                        for turn in 0..<3 {
                            await client.send("GET /\(turn) HTTP/1.1\r\nHost: h\r\n\r\n")
                            bodies.append(try await client.readAnswer().body)
                        }
                        return bodies
                    }
                }
                for try await bodies in group { #expect(bodies == ["/0", "/1", "/2"]) }
            }
        }
    }

    @Test func `The server survives a client that disconnects while the handler is working`() async throws {
        let gate = Gate()
        try await withServer(gate) { server in
            do {
                let client = try RawClient(port: server.boundPort)
                await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(await eventually { gate.waiting == 1 })
            }
            gate.open()
            #expect(await eventually { gate.finished == 1 && server.phases.isEmpty })
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.readAnswer().body == "through")
        }
    }
}
