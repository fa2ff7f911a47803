import Dispatch
import Glibc
import LatchkeyCore
import LatchkeyModel
import Testing

@testable import LatchkeyLinux

@Suite struct `Requests to the listener of a login` {
    private func outcome(_ head: String) -> LoopbackRequest.Outcome {
        var request = LoopbackRequest()
        return request.add(Array(head.utf8), port: 4321)
    }

    @Test func `The browser's request has the URL to which it was led`() {
        let head = "GET /callback?code=1 HTTP/1.1\r\nHost: 127.0.0.1:4321\r\nAccept: */*\r\n\r\n"
        #expect(outcome(head) == .get("http://127.0.0.1:4321/callback?code=1"))
    }

    @Test func `A request may arrive byte by byte`() {
        let head = Array("GET /callback HTTP/1.1\r\nhost:127.0.0.1:4321\r\n\r\n".utf8)
        var request = LoopbackRequest()
        for byte in head.dropLast() { #expect(request.add([byte], port: 4321) == .incomplete) }
        #expect(request.add(head.suffix(1), port: 4321) == .get("http://127.0.0.1:4321/callback"))
    }

    /// Requests of other programs and of web pages, also through a host name that they have rebound.
    @Test(arguments: [
        "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "HEAD /callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "GET http://127.0.0.1:4321/callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "GET /callback HTTP/1.1\r\n\r\n", "GET /callback HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: localhost:4321\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: 127.0.0.1:4322\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "GET /callback x HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", "GET /callback\r\n\r\n",
        "GET /callback HTTP/2.0\r\nHost: 127.0.0.1:4321\r\n\r\n", "\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
    ])
    func `Other requests are refused`(head: String) {
        #expect(outcome(head) == .other)
    }

    @Test func `A head that doesn't end is refused`() {
        #expect(outcome("GET /" + String(repeating: "a", count: LoopbackRequest.headLimit)) == .other)
        #expect(outcome(String(repeating: "a", count: LoopbackRequest.headLimit)) == .incomplete)
    }
}

@Suite struct `Listeners for the end of a login` {
    /// A connection of a program on this device.
    private final class Connection: Sendable {
        private let descriptor: Int32

        init(port: UInt16) {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// The response, or an empty text if the connection was closed without one.
        func response() async -> String {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [descriptor] in
                    var all: [UInt8] = []
                    var chunk = [UInt8](repeating: 0, count: 4096)
                    while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 {
                        all += chunk[..<count]
                    }
                    continuation.resume(returning: String(decoding: all, as: UTF8.self))
                }
            }
        }
    }

    private func request(_ target: String, to listener: LoopbackListener) -> String {
        "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n"
    }

    @Test func `One matching request ends the wait, and others are answered with 404`() async throws {
        let listener = try #require(LoopbackListener())
        async let url = listener.url(answering: "<p>Done</p>") { $0.hasSuffix("?state=right") }
        for target in ["/", "/callback?state=wrong", "/favicon.ico"] {
            let other = Connection(port: listener.port)
            other.send(request(target, to: listener))
            #expect(await other.response().hasPrefix("HTTP/1.1 404 "))
        }
        let browser = Connection(port: listener.port)
        browser.send(request("/callback?state=right", to: listener))
        let response = await browser.response()
        #expect(response.hasPrefix("HTTP/1.1 200 ") && response.hasSuffix("<p>Done</p>"))
        #expect(await url == "http://127.0.0.1:\(listener.port)/callback?state=right")
    }

    @Test func `Idle connections don't keep the browser out`() async throws {
        let listener = try #require(LoopbackListener())
        async let url = listener.url(answering: "") { _ in true }
        let idle = (0..<(2 * LoopbackListener.connectionLimit)).map { _ in Connection(port: listener.port) }
        for connection in idle { connection.send("GET /") }
        let browser = Connection(port: listener.port)
        browser.send(request("/callback", to: listener))
        #expect(await browser.response().hasPrefix("HTTP/1.1 200 "))
        #expect(await url != nil)
        withExtendedLifetime(idle) {}
    }

    @Test func `A wait can be ended before and while it lasts`() async throws {
        let listener = try #require(LoopbackListener())
        let wait = Task { await listener.url(answering: "") { _ in true } }
        wait.cancel()
        #expect(await wait.value == nil)
        #expect(await listener.url(answering: "") { _ in true } == nil)
    }
}
