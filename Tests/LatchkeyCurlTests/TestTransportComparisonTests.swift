import LatchkeyCore
import LatchkeyCurl
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

/// Sends the same responses through libcurl, from a server on the loopback interface, and through the
/// transport that simulates a network in tests of apps.
@Suite(.timeLimit(.minutes(5))) struct `Test transport and libcurl` {
    /// A response, and the method of the request that it answers.
    struct Exchange: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTP.Method.get
        var status = 200
        var headers: HTTP.Headers = [:]
        var body = "ok"

        var response: HTTP.Response { HTTP.Response(status, headers: headers, body: Array(body.utf8)) }

        /// The response as a server would send it.
        var text: String {
            let fields = headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
            return "HTTP/1.1 \(status) Reason\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    private static let exchanges =
        [200, 201, 204, 205, 301, 304, 307, 401, 404, 500, 599, 600, 999, 1000, 99].map {
            Exchange(testDescription: "the status \($0)", status: $0)
        } + [
            Exchange(testDescription: "a response to HEAD", method: .head),
            Exchange(
                testDescription: "a redirect",
                status: 302,
                headers: ["Location": "https://other.example/x", "Set-Cookie": "a=b"]
            ),
            Exchange(
                testDescription: "surrounding white space",
                headers: ["X-One": " \ta b\t ", "X-Two": ""]
            ),
            Exchange(testDescription: "repeated fields", headers: ["X-One": "1", "x-one": "2"]),
            Exchange(testDescription: "a line break in a field", headers: ["X-One": "a\nb"]),
            Exchange(testDescription: "a NUL in a field", headers: ["X-One": "a\0b"]),
            Exchange(
                testDescription: "a long field",
                headers: ["X-One": String(repeating: "x", count: 90_000)]
            ),
            Exchange(
                testDescription: "a field that is too long",
                headers: ["X-One": String(repeating: "x", count: 110_000)]
            ),
            Exchange(testDescription: "a large header", headers: .large(290_000)),
            Exchange(testDescription: "a header that is too large", headers: .large(310_000)),
        ]

    @Test(arguments: exchanges)
    func `Both transports return the same response or the same error`(_ exchange: Exchange) async throws {
        let server = ScriptedServer([exchange.text])
        let request = HTTP.Request(exchange.method, "/")
        let simulated = TestTransport(origin: "http://id.test", time: VirtualTime()) {
            { _ in exchange.response }
        }

        let expected = try await outcome(
            of: request,
            to: server.origin,
            with: CurlTransport(options: .patient)
        )

        #expect(await outcome(of: request, to: "http://id.test", with: simulated) == expected)
    }

    @Test func `Both transports stop waiting for a response at the time limit of the request`() async throws {
        let limits = RequestLimits(timeout: .milliseconds(50))
        let request = HTTP.Request(.get, "/")
        let gate = Gate()
        try await withServer(gate) { transport, origin in
            #expect(
                await outcome(of: request, to: origin, limits: limits, with: transport) == "timedOut false"
            )
            gate.open()
        }

        let time = VirtualTime()
        let simulated = TestTransport(origin: "http://id.test", time: time) { nil }
        simulated.serve("http://api.test") { _ in
            time.advance(by: .milliseconds(50))
            return HTTP.Response(200)
        }
        let code = await outcome(of: request, to: "http://api.test", limits: limits, with: simulated)
        #expect(code == "timedOut false")
    }

    @Test(arguments: [(1 << 20, true), ((1 << 20) + 1, false)])
    func `Both transports have the same default size limit`(_ size: Int, isAccepted: Bool) async throws {
        let response = HTTP.Response(200, body: [UInt8](repeating: 0x78, count: size))
        let simulated = TestTransport(origin: "http://id.test", time: VirtualTime()) { { _ in response } }
        let result = await outcome(of: HTTP.Request(.get, "/"), to: "http://id.test", with: simulated)

        try await withServer(Constant(response: response)) { transport, origin in
            let real = await outcome(of: HTTP.Request(.get, "/"), to: origin, with: transport)
            #expect(real.hasPrefix(isAccepted ? "200 " : "invalidResponse false"))
            #expect(real == result)
        }
    }

    /// Returns the status, the tested header fields and the size of the body, or the error's code and
    /// `neverSent`.
    private func outcome(
        of request: HTTP.Request,
        to origin: String,
        limits: RequestLimits = RequestLimits(),
        with transport: any Transport
    ) async -> String {
        do throws(TransportError) {
            let answer = try await transport.send(request, to: origin, limits: limits)
            let fields = answer.headers.fields.filter {
                ["x-one", "x-two", "location"].contains($0.name.lowercased())
            }
            let lines = fields.map { "\($0.name)=\($0.value.prefix(20))(\($0.value.utf8.count))" }
            return "\(answer.status) \(lines.joined(separator: " ")) \(answer.body.count)"
        } catch {
            return "\(error.code) \(error.neverSent)"
        }
    }
}

extension HTTP.Headers {
    /// Header fields with the given total size, in bytes, including line breaks.
    fileprivate static func large(_ size: Int) -> HTTP.Headers {
        var headers: HTTP.Headers = [:]
        let field = HTTP.Headers.Field(name: "X-Fill", value: String(repeating: "x", count: 990))
        headers.fields = [HTTP.Headers.Field](repeating: field, count: size / 1000)
        return headers
    }
}

/// Returns the same response to every request.
private struct Constant: HTTPHandler {
    let response: HTTP.Response

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response { response }
}
