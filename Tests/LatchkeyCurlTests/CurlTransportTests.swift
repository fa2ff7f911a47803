import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `libcurl transport` {
    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "BREW"], [0, 1, 5000])
    func `All parts of a request are sent exactly as given`(method: String, size: Int) async throws {
        try await withServer(Echo()) { transport, origin in
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let request = HTTP.Request(
                HTTP.Method(rawValue: method),
                "/a/../b%2F",
                query: "x=%20&y",
                headers: ["X-One": "1", "X-None": "", "Content-Type": "application/json"],
                body: body
            )
            let answer = try await transport.send(request, to: origin)
            #expect(answer.status == 200)
            #expect(answer.body == body)
            let lines = try #require(answer.headers["x-lines"]).split(separator: "|")
            #expect(lines.first == "\(method) /a/../b%2F x=%20&y")
            #expect(lines.contains("X-One=1") && lines.contains("X-None="))
            #expect(lines.filter { $0.hasPrefix("Content-Type=") } == ["Content-Type=application/json"])
            #expect(!lines.contains { $0.hasPrefix("Expect") })
        }
    }

    @Test func `A body does not get a default content type`() async throws {
        try await withServer(Echo()) { transport, origin in
            let answer = try await transport.send(HTTP.Request(.post, "/", body: [1]), to: origin)
            #expect(answer.headers["X-Lines"]?.contains("Content-Type") == false)
        }
    }

    @Test func `The status, header fields and body of the response are returned`() async throws {
        try await withServer(Echo()) { transport, origin in
            let answer = try await transport.send(HTTP.Request(.get, "/missing"), to: origin)
            #expect(answer.status == 404)
            #expect(answer.headers.all("x-twice") == ["1", "2"])
            #expect(answer.headers["date"] != nil)
        }
    }

    @Test func `The response to HEAD has no body`() async throws {
        try await withServer(Ports()) { transport, origin in
            let answer = try await transport.send(HTTP.Request(.head, "/"), to: origin)
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(answer.headers["Content-Length"] != nil)
        }
    }

    @Test func `Redirects are not followed and cookies are not stored`() async throws {
        let redirect =
            "HTTP/1.1 302 Found\r\nLocation: /other\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
        let server = ScriptedServer([redirect, redirect])
        let transport = try CurlTransport()
        for _ in 0..<2 {
            #expect(try await transport.send(HTTP.Request(.get, "/"), to: server.origin).status == 302)
        }
        #expect(server.requests.count == 2)
        #expect(!server.requests.contains { $0.contains("Cookie") || $0.contains("/other") })
    }

    @Test func `The final status is returned after an interim response`() async throws {
        let server = ScriptedServer([
            "HTTP/1.1 103 Early Hints\r\nX: a\r\n\r\nHTTP/1.1 200 OK\r\nY:\t b \r\nZ:\r\nContent-Length: 2\r\n\r\nok"
        ])
        let answer = try await CurlTransport().send(HTTP.Request(.get, "/"), to: server.origin)
        #expect(answer.status == 200 && answer.body == Array("ok".utf8))
        #expect(answer.headers["X"] == nil && answer.headers["Y"] == "b" && answer.headers["Z"] == "")
    }

    @Test func `Connections are reused`() async throws {
        try await withServer(Ports()) { transport, origin in
            var ports: Set<[UInt8]> = []
            for _ in 0..<1000 {
                ports.insert(try await transport.send(HTTP.Request(.get, "/"), to: origin).body)
            }
            #expect(ports.count == 1)
        }
    }

    @Test func `Requests are sent concurrently`() async throws {
        let gate = Gate()
        try await withServer(gate) { transport, origin in
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<20 {
                    group.addTask { try? await transport.send(HTTP.Request(.get, "/"), to: origin).status }
                }
                await gate.asked(20)
                gate.open()
                for await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func `The transport can be released while requests are in progress`() async throws {
        let gate = Gate()
        try await withServer(gate) { _, origin in
            for _ in 0..<20 {
                let transport = try CurlTransport()
                let task = Task { try await transport.send(HTTP.Request(.get, "/"), to: origin) }
                task.cancel()
                _ = await task.result
            }
            gate.open()
        }
    }
}
