import LatchkeyServerCore
import LatchkeyWire
import Testing

@testable import LatchkeyMicrohttpd

/// A request that must not reach the handler.
struct BadRequest: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var status = 400

    init(_ description: String, _ text: String, status: Int = 400) {
        testDescription = description
        self.text = text
        self.status = status
    }

    static let malformed = [
        BadRequest(
            "two lengths",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"
        ),
        BadRequest(
            "a length and chunks",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "two codings",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "another coding",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        BadRequest(
            "a sign before the length",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\nx"
        ),
        BadRequest(
            "a negative length",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\nx"
        ),
        BadRequest(
            "a list of lengths",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\nx"
        ),
        BadRequest("a blank before the colon", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 1\r\n\r\nx"),
        BadRequest("NUL in the path", "GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL at the end of the path", "GET /a\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL in the query", "GET /a?b\0c HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL and a version in the path", "GET /\0HTTP/1.1\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL in the method", "G\0ET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("NUL in a value", "GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n"),
        BadRequest("NUL at the end of a value", "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\r\n\r\n"),
        BadRequest("NUL at the end of the last value", "GET / HTTP/1.1\r\nX: a\r\nHost: h\0\r\n\r\n"),
        BadRequest("NUL in a name", "GET / HTTP/1.1\r\nHost: h\r\nX\0Y: a\r\n\r\n"),
        BadRequest("NUL for a colon", "GET / HTTP/1.1\r\nHost: h\r\nX\0Y:\n\r\n"),
        BadRequest("NULs like the end of a field", "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\0Y\0b\r\n\r\n"),
        BadRequest("NULs like the end of a head", "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\0\0\0\r\n\r\n"),
        BadRequest("a bare CR in a value", "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n"),
        BadRequest("a bare CR in the path", "GET /a\rb HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("a control character in a value", "GET / HTTP/1.1\r\nHost: h\r\nX: a\u{1B}b\r\n\r\n"),
        BadRequest("DEL in a value", "GET / HTTP/1.1\r\nHost: h\r\nX: a\u{7F}b\r\n\r\n"),
        BadRequest("a folded field", "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n"),
        BadRequest("a field that begins folded", "GET / HTTP/1.1\r\n X: a\r\nHost: h\r\n\r\n"),
        BadRequest("a bare LF after the first line", "GET / HTTP/1.1\nHost: h\r\n\r\n"),
        BadRequest("a bare LF after a field", "GET / HTTP/1.1\r\nHost: h\nX: a\r\n\r\n"),
        BadRequest("a bare LF at the end", "GET / HTTP/1.1\r\nHost: h\r\n\n"),
        BadRequest("an end of LF alone, before one of CR LF", "GET / HTTP/1.1\r\nHost: h\n\n\r\n"),
        BadRequest("nothing but LF", "GET / HTTP/1.1\nHost: h\n\n"),
        BadRequest("no colon", "GET / HTTP/1.1\r\nHost: h\r\nX\r\n\r\n"),
        BadRequest("no name", "GET / HTTP/1.1\r\nHost: h\r\n: a\r\n\r\n"),
        BadRequest("a name with a bracket", "GET / HTTP/1.1\r\nHost: h\r\nX(: a\r\n\r\n"),
        BadRequest("no host", "GET / HTTP/1.1\r\nX: a\r\n\r\n"),
        BadRequest("no field at all", "GET / HTTP/1.1\r\n\r\n"),
        BadRequest("two hosts", "GET / HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n"),
        BadRequest("two hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: h\r\nhost: h\r\n\r\n"),
        BadRequest("a blank in the path", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("two blanks before the target", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("a blank after the version", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n"),
        BadRequest("a letter that is not encoded", "GET /\u{E9} HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("a target without a slash", "GET a HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("the target of a proxy", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("the target of all", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("no target", "GET HTTP/1.1\r\nHost: h\r\n\r\n"),
        BadRequest("a version without a number", "GET / HTTP/x\r\nHost: h\r\n\r\n"),
        BadRequest(
            "a size of a chunk that is none",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\nx\r\n0\r\n\r\n"
        ),
    ]
}

@Suite struct `A refused request` {
    @Test(arguments: BadRequest.malformed)
    func `is answered and the connection closed`(request: BadRequest) async throws {
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

    @Test func `that hides behind another is not read`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.boundPort)
            await client.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 30\r\n\r\nGET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 400 && answer.rest.isEmpty)
        }
    }

    @Test func `with too large a header gets 431, however large it is`() async throws {
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

    @Test func `with too long a target gets 414`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET /\(String(repeating: "x", count: 64 * 1024)) HTTP/1.1\r\nHost: h\r\n\r\n")
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 414 && answer.isEnvelope && answer.rest.isEmpty)
        }
    }

    @Test func `with too many fields gets 431`() async throws {
        try await withServer { server in
            for (count, status) in [(99, 200), (100, 431), (2000, 431)] {
                let client = try RawClient(port: server.boundPort)
                let fields = String(repeating: "X: y\r\n", count: count)
                await client.send("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
                #expect(try await client.readAnswer().status == status)
            }
        }
    }

    @Test func `with a body that is announced too large is answered before any of it is sent`() async throws {
        try await withServer(Unreachable()) { server in
            for expectation in ["", "Expect: 100-continue\r\n"] {
                let client = try RawClient(port: server.boundPort)
                await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\(expectation)\r\n")
                let answer = try #require(RawAnswer(try await client.readToEnd()))
                #expect(answer.status == 413 && answer.isEnvelope)
            }
        }
    }

    @Test func `with a huge body is answered though the client goes on sending`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n")
            await client.send(String(repeating: "x", count: 900_000))
            client.finishSending()
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 413 && answer.isEnvelope)
        }
    }

    @Test func `with too large a body in chunks is answered when it becomes too large`() async throws {
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

    @Test func `with one byte too much in chunks never reaches the handler`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "1000\r\n\(String(repeating: "x", count: 4096))\r\n"
            await client.send(String(repeating: chunk, count: 16) + "1\r\nx\r\n0\r\n\r\n")
            let answer = try await client.readAnswer()
            #expect(answer.status == 413 && answer.isEnvelope)
        }
    }

    @Test func `leaves a body of just the limit alone`() async throws {
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

    @Test func `with thousands of cookies gets one answer of 431`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            let cookies = Array(repeating: "a=b", count: 2000).joined(separator: ";")
            await client.send("GET / HTTP/1.1\r\nHost: h\r\nCookie: \(cookies)\r\n\r\n")
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 431 && answer.isEnvelope && answer.rest.isEmpty)
        }
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Session-Token"])
    func `is none with 16 kB of fields, whichever field it is`(name: String) async throws {
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

    @Test func `with another version of HTTP gets 505`() async throws {
        try await withServer(Unreachable()) { server in
            let client = try RawClient(port: server.boundPort)
            await client.send("GET / HTTP/2.0\r\nHost: h\r\n\r\n")
            let answer = try #require(RawAnswer(try await client.readToEnd()))
            #expect(answer.status == 505 && answer.isEnvelope && answer.rest.isEmpty)
        }
    }

    @Test func `after others on its connection follows their answers`() async throws {
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

    @Test func `with garbage gets no answer of 5xx`() async throws {
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

/// Must not be asked.
private struct Unreachable: HTTPHandler {
    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        Issue.record("\(request.method.rawValue) \(request.path) reached the handler")
        return HTTPResponse(200)
    }
}
