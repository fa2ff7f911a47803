import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyMicrohttpd

/// A request that must not be passed to the handler.
struct BadRequest: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var status = 400

    init(_ description: String, text: String, status: Int = 400) {
        testDescription = description
        self.text = text
        self.status = status
    }

    static let malformed = [
        BadRequest(
            "two lengths",
            text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"
        ),
        BadRequest(
            "a length and chunks",
            text:
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "two codings",
            text:
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "another coding",
            text: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "chunks in HTTP/1.0",
            text: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "a sign before the length",
            text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\nx"
        ),
        BadRequest(
            "a negative length",
            text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\nx"
        ),
        BadRequest(
            "a list of lengths",
            text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\nx"
        ),
        BadRequest(
            "a blank before the colon",
            text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 1\r\n\r\nx"
        ),
        BadRequest("NUL in the path", text: "GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL at the end of the path", text: "GET /a\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL in the query", text: "GET /a?b\0c HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL and a version in the path", text: "GET /\0HTTP/1.1\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL in the method", text: "G\0ET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL in a value", text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n"),
        BadRequest("NUL at the end of a value", text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\r\n\r\n"),
        BadRequest("NUL at the end of the last value", text: "GET / HTTP/1.1\r\nX: a\r\nHost: h\0\r\n\r\n"),
        BadRequest("NUL in a name", text: "GET / HTTP/1.1\r\nHost: h\r\nX\0Y: a\r\n\r\n"),
        BadRequest("NUL for a colon", text: "GET / HTTP/1.1\r\nHost: h\r\nX\0Y:\n\r\n"),
        BadRequest("NULs like the end of a field", text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\0Y\0b\r\n\r\n"),
        BadRequest("NULs like the end of a head", text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\0\0\0\r\n\r\n"),
        BadRequest("a bare CR in a value", text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n"),
        BadRequest("a bare CR in the path", text: "GET /a\rb HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest(
            "a control character in a value",
            text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\u{1B}b\r\n\r\n"
        ),
        BadRequest("DEL in a value", text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\u{7F}b\r\n\r\n"),
        BadRequest("a folded field", text: "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n"),
        BadRequest("a field that begins folded", text: "GET / HTTP/1.1\r\n X: a\r\nHost: h\r\n\r\n"),
        BadRequest("a bare LF after the first line", text: "GET / HTTP/1.1\nHost: h\r\n\r\n"),
        BadRequest("a bare LF after a field", text: "GET / HTTP/1.1\r\nHost: h\nX: a\r\n\r\n"),
        BadRequest("a bare LF at the end", text: "GET / HTTP/1.1\r\nHost: h\r\n\n"),
        BadRequest("an end of LF alone, before one of CR LF", text: "GET / HTTP/1.1\r\nHost: h\n\n\r\n"),
        BadRequest("nothing but LF", text: "GET / HTTP/1.1\nHost: h\n\n"),
        BadRequest("no colon", text: "GET / HTTP/1.1\r\nHost: h\r\nX\r\n\r\n"),
        BadRequest("no name", text: "GET / HTTP/1.1\r\nHost: h\r\n: a\r\n\r\n"),
        BadRequest("a name with a bracket", text: "GET / HTTP/1.1\r\nHost: h\r\nX(: a\r\n\r\n"),
        BadRequest("no host", text: "GET / HTTP/1.1\r\nX: a\r\n\r\n"),
        BadRequest("no field at all", text: "GET / HTTP/1.1\r\n\r\n"),
        BadRequest("two hosts", text: "GET / HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n"),
        BadRequest("two hosts in HTTP/1.0", text: "GET / HTTP/1.0\r\nHost: h\r\nhost: h\r\n\r\n"),
        BadRequest("a blank in the path", text: "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("two blanks before the target", text: "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("a blank after the version", text: "GET / HTTP/1.1 \r\nHost: h\r\n\r\n"),
        BadRequest("a letter that is not encoded", text: "GET /\u{E9} HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("a target without a slash", text: "GET a HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("the target of a proxy", text: "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("the target of all", text: "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("no target", text: "GET HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("a version without a number", text: "GET / HTTP/x\r\nHost: h\r\n\r\n"),
        BadRequest(
            "a size of a chunk that is none",
            text: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\nx\r\n0\r\n\r\n"
        ),
    ]
}

@Suite struct `Rejected requests` {
    /// Fields, whose name or value is followed by a byte that isn't UTF-8, and that the server can't accept.
    @Test(arguments: ["X-P", "Content-Length: 1", "Transfer-Encoding: chunked"])
    func `The server rejects a name or a length that is not UTF-8`(field: String) async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(
                Array("POST / HTTP/1.1\r\nHost: h\r\n\(field)".utf8) + [0xE4] + Array(": a\r\n\r\n".utf8)
            )
            let text = try await client.readToEnd()
            let answer = try #require(RawAnswer(text), "\(text)")
            #expect(answer.status == 400 && answer.isEnvelope, "\(text)")
        }
    }

    @Test(arguments: BadRequest.malformed)
    func `The server rejects a bad request and closes the connection`(request: BadRequest) async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(request.text)
            let text = try await client.readToEnd()
            let answer = try #require(RawAnswer(text), "\(text)")
            #expect(answer.status == request.status, "\(text)")
            #expect(answer["connection"] == "close")
            #expect(answer["date"] != nil)
            #expect(answer.isEnvelope && answer.rest.isEmpty, "\(text)")
        }
    }

    @Test func `A request that is hidden behind a rejected one is not processed`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 30\r\n\r\nGET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 400 && answer.rest.isEmpty)
        }
    }

    @Test func `A header of any size above the limit gets a 431 response`() async throws {
        try await withServer(Unreachable()) { server in
            for size in [17 * 1024, 64 * 1024, 512 * 1024] {
                let client = try RawClient(port: server.boundPort)
                await client.send(
                    "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: size))\r\n\r\n"
                )
                let answer = try #require(RawAnswer(try await client.readToEnd()))
                #expect(answer.status == 431 && answer.isEnvelope && answer.rest.isEmpty)
            }
        }
    }

    @Test func `A request target above the limit gets a 414 response`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET /\(String(repeating: "x", count: 64 * 1024)) HTTP/1.1\r\nHost: h\r\n\r\n")
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 414 && answer.isEnvelope && answer.rest.isEmpty)
        }
    }

    @Test func `Too many header fields get a 431 response`() async throws {
        try await withServer { server in
            for (count, status) in [(99, 200), (100, 431), (2000, 431)] {
                let client = try RawClient(port: server.boundPort)
                let fields = String(repeating: "X: y\r\n", count: count)
                await client.send("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
                #expect(try await client.readAnswer().status == status)
            }
        }
    }

    @Test func `A Content-Length above the limit gets a 413 response before the body is sent`() async throws {
        try await withServer(Unreachable()) { server in
            for expectation in ["", "Expect: 100-continue\r\n"] {
                let client = try RawClient(port: server.boundPort)
                await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\(expectation)\r\n")
                let answer = try #require(RawAnswer(try await client.readToEnd()))
                #expect(answer.status == 413 && answer.isEnvelope)
            }
        }
    }

    @Test func `The server responds to a huge body even if the client keeps sending`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n")
            await client.send(String(repeating: "x", count: 900_000))
            client.finishSending()
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 413 && answer.isEnvelope)
        }
    }

    @Test func `A chunked body gets a 413 response once it exceeds the limit`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "1000\r\n\(String(repeating: "x", count: 4096))\r\n"
            await client.send(String(repeating: chunk, count: 17))
            let text = try await client.readToEnd()
            let answer = try #require(RawAnswer(text))
            #expect(answer.status == 413 && answer.isEnvelope && answer.rest.isEmpty, "\(text)")
            #expect(answer["date"]?.utf8.count == 29 && answer["connection"] == "close")
        }
    }

    @Test func `A chunked body one byte above the limit is not passed to the handler`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "1000\r\n\(String(repeating: "x", count: 4096))\r\n"
            await client.send(String(repeating: chunk, count: 16) + "1\r\nx\r\n0\r\n\r\n")
            let answer = try await client.readAnswer()
            #expect(answer.status == 413 && answer.isEnvelope)
        }
    }

    @Test func `A body with exactly the maximum size is accepted`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            let body = String(repeating: "x", count: 65536)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\n\r\n\(body)")
            #expect(try await client.readAnswer().status == 200)
            let chunk = "1000\r\n\(String(repeating: "x", count: 4096))\r\n"
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            await client.send(String(repeating: chunk, count: 16) + "0\r\n\r\n")
            #expect(try await client.readAnswer().status == 200)
        }
    }

    @Test func `Thousands of cookies are accepted because the library does not parse them`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            let cookies = Array(repeating: "a=b", count: 4000).joined(separator: ";")
            await client.send("GET / HTTP/1.1\r\nHost: h\r\nCookie: \(cookies)\r\n\r\n")
            #expect(try await client.readAnswer().status == 200)
        }
    }

    @Test func `A total of 16 kB in 100 header fields and a body of 64 kB are accepted`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            let fields = (10..<108).map { "X-\($0): \(String(repeating: "x", count: 156))\r\n" }.joined()
            let body = String(repeating: "x", count: 65_536)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\n\(fields)\r\n\(body)")
            #expect(try await client.readAnswer().status == 200)
        }
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Session-Token"])
    func `Any header field can have a size of 16 kB`(name: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            for value in [
                "a=" + String(repeating: "x", count: 16_300),
                Array(repeating: "name_of_a_cookie=value", count: 300).joined(separator: "; "),
            ] {
                await client.send("GET / HTTP/1.1\r\nHost: h\r\n\(name): \(value)\r\n\r\n")
                #expect(try await client.readAnswer().status == 200)
            }
        }
    }

    @Test func `An unsupported HTTP version gets a 505 response`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/2.0\r\nHost: h\r\n\r\n")
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 505 && answer.isEnvelope && answer.rest.isEmpty)
        }
    }

    @Test func `The response to a rejected request follows the responses to earlier requests`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(
                "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n"
            )
            let first = try #require(RawAnswer(try await client.readToEnd()))
            #expect(first.status == 200)
            let second = try #require(RawAnswer(first.rest))
            #expect(second.status == 400 && second.isEnvelope && second.rest.isEmpty)
        }
    }

    @Test func `Invalid bytes never cause a 5xx response`() async throws {
        try await withServer(Unreachable()) { server in
            for garbage in [
                "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", " \r\n\r\n",
                ":\r\n\r\n",
            ] {
                let client = try RawClient(port: server.boundPort)
                await client.send(garbage)
                client.finishSending()
                let answer = RawAnswer(try await client.readToEnd())
                if let answer { #expect((400...499).contains(answer.status) || answer.status == 505) }
            }
        }
    }
}

/// A handler that must not be called.
private struct Unreachable: HTTPHandler {
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        Issue.record("\(request.method.rawValue) \(request.path) reached the handler")
        return HTTP.Response(200)
    }
}
