import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire
import Testing

@Suite struct `A request by libcurl that brings no answer` {
    /// Sends a request full of secrets, and returns how that failed.
    private func failure(
        _ transport: CurlTransport,
        _ origin: String,
        _ method: HTTPMethod = .post
    ) async throws -> TransportError {
        let request = HTTPRequest(
            method,
            "/path",
            query: "flow=secret1",
            headers: ["X-Session-Token": "secret2"],
            body: Array("secret3".utf8)
        )
        do throws(TransportError) {
            let answer = try await transport.send(request, to: origin)
            Issue.record("an answer came: \(answer.status)")
            throw TransportError(.invalidAnswer, message: "")
        } catch {
            #expect(!"\(error)".contains("secret") && !String(reflecting: error).contains("secret"))
            return error
        }
    }

    @Test func `fails when its time is over, which may be a part of a second`() async throws {
        let gate = Gate()
        var options = CurlOptions()
        options.timeout = .milliseconds(300)
        try await withServer(gate, options: options) { transport, origin in
            let begin = ContinuousClock.now
            let error = try await failure(transport, origin)
            #expect(error.code == .timedOut && !error.neverSent)
            #expect(ContinuousClock.now - begin >= .milliseconds(290))
            gate.open()
        }
    }

    @Test func `was never sent when nobody listens`() async throws {
        // The port of a server that has gone.
        let server = ScriptedServer([])
        let origin = server.origin
        let transport = try CurlTransport()
        _ = consume server
        var error = try await failure(transport, origin)
        // The listener goes on another thread; a connection that it still takes is closed at once.
        while !error.neverSent { error = try await failure(transport, origin) }
        #expect(error.code == .unreachable)
        #expect(error.message.hasPrefix("127.0.0.1:"))
    }

    @Test func `was never sent when the host is unknown`() async throws {
        let error = try await failure(CurlTransport(), "http://nobody.invalid")
        #expect(error.code == .unreachable && error.neverSent)
        #expect(error.message.hasPrefix("nobody.invalid: "))
    }

    @Test(arguments: [
        "ftp://127.0.0.1", "file:///etc/passwd", "gopher://127.0.0.1", "nothing at all", "",
        "http://user:secret4@nobody.invalid",
    ])
    func `was never sent to what is no web server`(origin: String) async throws {
        let error = try await failure(CurlTransport(), origin)
        #expect(error.code == .invalidRequest && error.neverSent)
    }

    @Test(arguments: ["a\r\nInjected: b", "a\nb", "a\0b"])
    func `was never sent with a line break in a field`(value: String) async throws {
        let server = ScriptedServer([])
        let request = HTTPRequest(.get, "/", headers: ["X": value])
        let error = await #expect(throws: TransportError.self) {
            try await CurlTransport().send(request, to: server.origin)
        }
        #expect(error?.code == .invalidRequest && error?.neverSent == true)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        ("", TransportError.Code.unreachable),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", .unreachable),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf", .unreachable),
        ("HTTP/1.1 200 OK\r\nX: y", .unreachable),
        ("SSH-2.0-OpenSSH\r\n", .invalidAnswer),
    ]) func `fails when the answer is cut off or none`(text: String, code: TransportError.Code) async throws {
        let server = ScriptedServer([text])
        let error = try await failure(CurlTransport(), server.origin)
        #expect(error.code == code, "\(error)")
        #expect(!error.neverSent)
    }

    @Test(arguments: [
        "Content-Length: 101\r\n\r\n" + String(repeating: "x", count: 101),
        "Connection: close\r\n\r\n" + String(repeating: "x", count: 5000),
        "Transfer-Encoding: chunked\r\n\r\n65\r\n" + String(repeating: "x", count: 101) + "\r\n0\r\n\r\n",
    ]) func `fails when the answer is too large`(text: String) async throws {
        var options = CurlOptions()
        options.bodyLimit = 100
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\n" + text])
        let error = try await failure(CurlTransport(options: options), server.origin)
        #expect(error.code == .invalidAnswer && error.message.hasSuffix("larger than 100 bytes."))
    }

    @Test func `is not sent again when it may have been carried out`() async throws {
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""])
        let transport = try CurlTransport()
        #expect(try await transport.send(HTTPRequest(.get, "/"), to: server.origin).status == 200)
        let error = try await failure(transport, server.origin)
        #expect(error.code == .unreachable && !error.neverSent)
        #expect(server.requests.filter { $0.hasPrefix("POST") }.count == 1)
    }

    @Test func `is not sent to a server that it cannot trust`() async throws {
        let server = try await TLSServer.start()
        let error = try await failure(CurlTransport(), "https://localhost:\(server.port)")
        #expect(error.code == .untrusted && error.neverSent)

        var options = CurlOptions()
        options.trustedCertificates = server.certificate
        let transport = try CurlTransport(options: options)
        let answer = try await transport.send(HTTPRequest(.get, "/"), to: "https://localhost:\(server.port)")
        #expect(answer.status == 200)
        // The certificate is for another name.
        let other = try await failure(transport, "https://127.0.0.1:\(server.port)")
        #expect(other.code == .untrusted && other.neverSent)
    }

    @Test func `was never sent when the server does not speak TLS, nor anything else`() async throws {
        let server = ScriptedServer([])
        let origin = server.origin.replacing("http://", with: "https://")
        let closed = try await failure(CurlTransport(), origin)
        #expect(closed.code == .unreachable && closed.neverSent)

        var options = CurlOptions()
        options.connectTimeout = .milliseconds(200)
        let silent = ScriptedServer(["never asked for"])
        let silentOrigin = silent.origin.replacing("http://", with: "https://")
        let timedOut = try await failure(CurlTransport(options: options), silentOrigin)
        #expect(timedOut.code == .timedOut && timedOut.neverSent)
    }
}
