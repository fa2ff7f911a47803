import LatchkeyMicrohttpd
import Testing

@Suite struct `Listen address` {
    @Test(arguments: ["[::1]", "127.0.0.1:80", "", String(repeating: "x", count: 64) + ".invalid"])
    func `An address that isn't one is rejected`(host: String) {
        #expect(throws: HTTPServerError.self) { try ListenAddress(host, port: 0) }
    }

    @Test func `An address of another machine is rejected, and one of this machine is accepted`() throws {
        #expect(throws: HTTPServerError.self) { try ListenAddress("203.0.113.1", port: 0).check() }
        try ListenAddress("127.0.0.1", port: 0).check()
        try ListenAddress("0.0.0.0", port: 0).check()
    }

    @Test func `A port that is in use is accepted`() async throws {
        try await withServer { server in
            try ListenAddress("127.0.0.1", port: try #require(server.boundPort)).check()
        }
    }

    @Test(arguments: [
        ("127.0.0.1", 80, "127.0.0.1", 80, true), ("127.0.0.1", 80, "127.0.0.1", 81, false),
        ("127.0.0.1", 0, "127.0.0.1", 0, false), ("127.0.0.1", 80, "127.0.0.2", 80, false),
        ("0.0.0.0", 80, "127.0.0.1", 80, true), ("127.0.0.1", 80, "0.0.0.0", 80, true),
        ("::", 80, "127.0.0.1", 80, true), ("::1", 80, "127.0.0.1", 80, false), ("::", 80, "::1", 80, true),
        ("0.0.0.0", 80, "::1", 80, false), ("::1", 80, "0:0:0:0:0:0:0:1", 80, true),
    ])
    func `Two addresses overlap if only one server can use them`(
        first: String,
        firstPort: Int,
        second: String,
        secondPort: Int,
        overlaps: Bool
    ) throws {
        let first = try ListenAddress(first, port: firstPort)
        let second = try ListenAddress(second, port: secondPort)
        #expect(first.overlaps(second) == overlaps)
        #expect(second.overlaps(first) == overlaps)
    }
}
