import LatchkeyCore
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyCurl

@Suite(.timeLimit(.minutes(10))) struct `libcurl proxy settings` {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy"

    private func transport(_ proxy: ProxyChoice) throws -> CurlTransport {
        var options = CurlOptions.patient
        options.proxy = proxy
        return try CurlTransport(options: options)
    }

    @Test func `Requests to other machines go through the proxy`() async throws {
        let proxy = ScriptedServer([Self.answer])

        let answer = try await transport(.url(proxy.origin)).send(
            HTTP.Request(.get, "/x"),
            to: "http://id.invalid"
        )

        #expect(answer.body == Array("proxy".utf8))
        #expect(proxy.requests.first?.hasPrefix("GET http://id.invalid/x HTTP/1.1\r\n") == true)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `Requests to loopback addresses bypass the proxy`(_ host: String) async throws {
        let proxy = ScriptedServer([Self.answer])
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nserver"])
        let origin = server.origin.replacing("127.0.0.1", with: host)

        let answer = try await transport(.url(proxy.origin)).send(
            HTTP.Request(.post, "/login", headers: ["Authorization": "Bearer token"], body: [1]),
            to: origin
        )

        #expect(answer.body == Array("server".utf8))
        #expect(proxy.connectionCount == 0)
    }

    @Test(arguments: [
        "", "proxy.example.com", "ftp://proxy.example.com", "http://", "http://proxy.example.com/path",
        "http://proxy.example.com:0", "http://proxy example.com", "http://a\r\nb", "file:///etc/passwd",
    ])
    func `An invalid proxy URL is rejected`(_ url: String) {
        let error = #expect(throws: TransportError.self) { try transport(.url(url)) }

        #expect(error?.code == .invalidRequest)
    }

    @Test(arguments: ["http://id.invalid", "https://id.invalid"])
    func `The error for an unreachable proxy names the proxy without its credentials`(_ origin: String)
        async throws
    {
        let transport = try transport(.url("http://user:hidden@127.0.0.1:1"))

        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTP.Request(.get, "/x"), to: origin)
        }

        #expect(error?.code == .unreachable && error?.neverSent == true)
        #expect(error?.message.hasPrefix("id.invalid: ") == true)
        #expect(error?.message.hasSuffix("The request goes through the proxy 127.0.0.1:1.") == true)
        #expect(error?.message.contains("hidden") == false)
    }

    @Test(
        arguments: [
            ("https", ["https_proxy": "http://a:hidden@b.example:3128/"], "https_proxy", "b.example:3128"),
            ("https", ["HTTPS_PROXY": "b.example:3128", "ALL_PROXY": "c"], "HTTPS_PROXY", "b.example:3128"),
            ("http", ["http_proxy": "a:hid@den@b.example", "all_proxy": "c"], "http_proxy", "b.example"),
            ("http", ["https_proxy": "b", "ALL_PROXY": "socks5h://c:1080"], "ALL_PROXY", "c:1080"),
            ("https", ["https_proxy": "http://hidden hidden"], "https_proxy", "(invalid)"),
            ("http", ["HTTP_PROXY": "http://b.example"], nil, nil), ("https", [:], nil, nil),
            ("https", ["https_proxy": "", "all_proxy": "c"], nil, nil),
        ] as [(String, [String: String], String?, String?)]
    )
    func `The proxy in the environment is named without its credentials`(
        _ scheme: String,
        _ environment: [String: String],
        _ variable: String?,
        _ name: String?
    ) {
        let hint = ProxyURL.hint(for: .system, scheme: scheme) { environment[$0] }

        #expect(hint == variable.map { "The variable \($0) names the proxy \(name ?? "")." })
    }

    @Test(arguments: [
        "http://proxy.example.com:3128", "http://proxy.example.com/", "https://user:p%40ss@proxy.example.com",
        "socks5h://127.0.0.1:1080", "SOCKS5://[::1]:1080",
    ])
    func `A proxy URL can contain credentials and use several schemes`(_ url: String) throws {
        _ = try transport(.url(url))
    }
}
