import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Failing libcurl requests` {
    /// Sends a request that contains secrets and returns its error.
    private func failure(
        of transport: CurlTransport,
        at origin: String,
        method: HTTP.Method = .post
    ) async throws -> TransportError {
        let request = HTTP.Request(
            method,
            "/path",
            query: "flow=secret1",
            headers: ["X-Session-Token": "secret2"],
            body: Array("secret3".utf8)
        )
        do throws(TransportError) {
            let answer = try await transport.send(request, to: origin)
            Issue.record("unexpected response: \(answer.status)")
            throw TransportError(.invalidResponse, message: "")
        } catch {
            #expect(!"\(error)".contains("secret") && !String(reflecting: error).contains("secret"))
            return error
        }
    }

    @Test func `A timeout can be shorter than a second`() async throws {
        let gate = Gate()
        var options = CurlOptions()
        options.timeout = .milliseconds(300)
        try await withServer(gate, options: options) { transport, origin in
            let begin = ContinuousClock.now
            let error = try await failure(of: transport, at: origin)
            #expect(error.code == .timedOut && !error.neverSent)
            #expect(ContinuousClock.now - begin >= .milliseconds(290))
            gate.open()
        }
    }

    @Test(arguments: [RequestLimits.noTimeout, .seconds(24 * 86_400), .seconds(1.6e20)])
    func `Every part of the time can be without a limit`(timeout: Duration) async throws {
        let server = ScriptedServer(["HTTP/1.1 204 No Content\r\n\r\n"])
        var options = CurlOptions()
        (options.timeout, options.connectTimeout) = (timeout, timeout)
        let transport = try CurlTransport(options: options)
        let answer = try await transport.send(HTTP.Request(.get, "/"), to: server.origin)
        #expect(answer.status == 204)
        let streamed = try await transport.stream(
            HTTP.Request(.get, "/"),
            upload: nil,
            to: server.origin,
            limits: RequestLimits(timeout: timeout)
        )
        #expect(streamed.status == 204)
    }

    @Test func `After a refused connection, the error says that the request was never sent`() async throws {
        // Once this server has been released, connections to its port are refused.
        let server = ScriptedServer([])
        let origin = server.origin
        let transport = try CurlTransport()
        _ = consume server
        var error = try await failure(of: transport, at: origin)
        // The listener is closed on another thread. Until then, every accepted connection is closed
        // immediately.
        while !error.neverSent { error = try await failure(of: transport, at: origin) }
        #expect(error.code == .unreachable)
        #expect(error.message.hasPrefix("127.0.0.1:"))
    }

    @Test func `The error for an unknown host says that the request was never sent`() async throws {
        let error = try await failure(of: CurlTransport(), at: "http://nobody.invalid")
        #expect(error.code == .unreachable && error.neverSent)
        #expect(error.message.hasPrefix("nobody.invalid: "))
    }

    @Test(arguments: [
        "ftp://127.0.0.1", "file:///etc/passwd", "gopher://127.0.0.1", "nothing at all", "",
        "http://user:secret4@nobody.invalid",
    ])
    func `An origin that is not HTTP is rejected before the request is sent`(origin: String) async throws {
        let error = try await failure(of: CurlTransport(), at: origin)
        #expect(error.code == .invalidRequest && error.neverSent)
    }

    @Test(arguments: ["a\r\nInjected: b", "a\nb", "a\0b"])
    func `A header field with a line break is rejected before a request is sent`(value: String) async throws {
        let server = ScriptedServer([])
        let request = HTTP.Request(.get, "/", headers: ["X": value])
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
        ("SSH-2.0-OpenSSH\r\n", .invalidResponse),
    ]) func `A truncated or non-HTTP response is an error`(text: String, code: TransportError.Code)
        async throws
    {
        let server = ScriptedServer([text])
        let error = try await failure(of: CurlTransport(), at: server.origin)
        #expect(error.code == code, "\(error)")
        #expect(!error.neverSent)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", 200),
            ("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + String(repeating: "x", count: 101), 200),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot chunked\r\n", 200),
            ("HTTP/1.1 202 Accepted\r\nX: y", 202),
            (
                "HTTP/1.1 100 Continue\r\n\r\n"
                    + "HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\n",
                503
            ),
            ("", nil), ("SSH-2.0-OpenSSH\r\n", nil),
        ] as [(String, Int?)]
    ) func `The error for an incomplete response contains the status`(text: String, status: Int?)
        async throws
    {
        var options = CurlOptions()
        options.bodyLimit = 100
        let server = ScriptedServer([text])
        let error = try await failure(of: CurlTransport(options: options), at: server.origin)
        #expect(error.head?.status == status && error.head?.body.isEmpty != false)
        #expect(error.head?.headers["Retry-After"] == (status == 503 ? "7" : nil))
    }

    @Test func `The error for a response that takes too long contains the status`() async throws {
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", ""])
        var options = CurlOptions()
        options.timeout = .milliseconds(300)
        let error = try await failure(of: CurlTransport(options: options), at: server.origin)
        #expect(error.code == .timedOut && error.head?.status == 200)
    }

    @Test(arguments: [
        "Content-Length: 101\r\n\r\n" + String(repeating: "x", count: 101),
        "Connection: close\r\n\r\n" + String(repeating: "x", count: 5000),
        "Transfer-Encoding: chunked\r\n\r\n65\r\n" + String(repeating: "x", count: 101) + "\r\n0\r\n\r\n",
    ]) func `A response that exceeds the size limit is an error`(text: String) async throws {
        var options = CurlOptions()
        options.bodyLimit = 100
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\n" + text])
        let error = try await failure(of: CurlTransport(options: options), at: server.origin)
        #expect(error.code == .invalidResponse && error.message.hasSuffix("larger than 100 bytes."))
    }

    @Test func `A request that may have been processed is not repeated`() async throws {
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""])
        let transport = try CurlTransport()
        #expect(try await transport.send(HTTP.Request(.get, "/"), to: server.origin).status == 200)
        let error = try await failure(of: transport, at: server.origin)
        #expect(error.code == .unreachable && !error.neverSent)
        #expect(server.requests.filter { $0.hasPrefix("POST") }.count == 1)
    }

    @Test func `A request is not sent to a server with an untrusted certificate`() async throws {
        let server = try await TLSServer.start()
        let error = try await failure(of: CurlTransport(), at: "https://localhost:\(server.port)")
        #expect(error.code == .untrusted && error.neverSent)

        var options = CurlOptions()
        options.trustedCertificates = server.certificate
        let transport = try CurlTransport(options: options)
        let answer = try await transport.send(HTTP.Request(.get, "/"), to: "https://localhost:\(server.port)")
        #expect(answer.status == 200)
        // This certificate is for a different host name.
        let other = try await failure(of: transport, at: "https://127.0.0.1:\(server.port)")
        #expect(other.code == .untrusted && other.neverSent)
    }

    @Test func `After a failed TLS handshake, the error says that the request was never sent`() async throws {
        let server = ScriptedServer([])
        let origin = server.origin.replacing("http://", with: "https://")
        let closed = try await failure(of: CurlTransport(), at: origin)
        #expect(closed.code == .unreachable && closed.neverSent)

        var options = CurlOptions()
        options.connectTimeout = .milliseconds(200)
        let silent = ScriptedServer(["never asked for"])
        let silentOrigin = silent.origin.replacing("http://", with: "https://")
        let timedOut = try await failure(of: CurlTransport(options: options), at: silentOrigin)
        #expect(timedOut.code == .timedOut && timedOut.neverSent)
    }
}
