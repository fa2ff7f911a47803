import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyServer

@Suite struct `Client address behind proxies` {
    private func request(_ name: String, _ lines: [String]) -> HTTP.Request {
        var request = HTTP.Request(.get, "/")
        request.headers.fields = lines.map { HTTP.Headers.Field(name: name, value: $0) }
        return request
    }

    private func seen(
        _ request: HTTP.Request,
        from peer: String = "10.0.0.1",
        _ field: ProxyHeader
    ) -> String {
        let handler = ForwardedHeaderMiddleware(
            ReplaceableHandler(),
            trusting: ["10.0.0.0/24", "fd00::/8"],
            in: field
        )
        return handler.client(of: request, from: PeerAddress(host: peer, port: 1)).address.description
    }

    @Test(arguments: [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7,fd00::2\t,  10.0.0.2 "], "198.51.100.7"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", ["[2001:db8::1]"], "2001:db8::1"),
        // Some load balancers add the client's port.
        ("10.0.0.1", ["6.6.6.6:8080"], "6.6.6.6"),
        ("10.0.0.1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("10.0.0.1", ["1.1.1.1, 6.6.6.6:8080, 10.0.0.2:9"], "6.6.6.6"),
        // Empty elements are skipped.
        ("10.0.0.1", ["198.51.100.7,"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7", ""], "198.51.100.7"),
        ("10.0.0.1", [", 198.51.100.7 ,, \t,10.0.0.2,", " ,"], "198.51.100.7"),
        ("10.0.0.1", [","], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7" + String(repeating: ",", count: 31)], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7" + String(repeating: ",", count: 32)], "10.0.0.1"),
        // All spellings of an address are the same client.
        ("10.0.0.1", ["2001:DB8:0:0:0:0:0:1"], "2001:db8::1"),
        ("10.0.0.1", ["::ffff:198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["[::FFFF:198.51.100.7]:80"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7, ::ffff:10.0.0.2"], "198.51.100.7"),
        ("::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        // If an element does not contain an address, the connection's address is used. The addresses
        // further to the left can't be trusted.
        ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7, <script>"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7, <script>, 10.0.0.2"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7:"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7:x"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7:123456"], "10.0.0.1"),
        ("10.0.0.1", ["[198.51.100.7]"], "10.0.0.1"),
        ("10.0.0.1", ["[2001:db8::1"], "10.0.0.1"),
        ("10.0.0.1", ["[2001:db8::1]x"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.0/24"], "10.0.0.1"),
        ("10.0.0.1", ["\"198.51.100.7\""], "10.0.0.1"),
    ])
    func `The client is the last untrusted address`(peer: String, forwarded: [String], seen: String) {
        #expect(self.seen(request("x-forwarded-for", forwarded), from: peer, .xForwardedFor) == seen)
    }

    @Test(arguments: [
        (["for=192.0.2.60"], "192.0.2.60"),
        (["For=\"[2001:db8::17]:4711\""], "2001:db8::17"),
        (["for=\"192.0.2.60:8080\""], "192.0.2.60"),
        (["for=\"192.0.2.60:_port-1\""], "192.0.2.60"),
        (["for=\"\\1\\92.0.2.60\""], "192.0.2.60"),
        (["for=192.0.2.43;proto=https;by=203.0.113.43"], "192.0.2.43"),
        (["proto=https; for=192.0.2.43"], "192.0.2.43"),
        (["proto=https;;for=192.0.2.43;"], "192.0.2.43"),
        (["for=1.1.1.1, for=192.0.2.43, for=10.0.0.9"], "192.0.2.43"),
        (["for=1.1.1.1", "for=192.0.2.43"], "192.0.2.43"),
        (["for=192.0.2.43;x=\"a, b; c \\\" \\\\\""], "192.0.2.43"),
        (["for=1.1.1.1;x=\", for=6.6.6.6\""], "1.1.1.1"),
        // The client sent a forged address, but the proxy appended the last element.
        (["for=1.2.3.4;x=\"\\\"\", for=6.6.6.6"], "6.6.6.6"),
        (["for=1.2.3.4;x=\", for=6.6.6.6"], "6.6.6.6"),
        (["for=1.2.3.4;x=\"\\, for=6.6.6.6"], "6.6.6.6"),
        (["for=1.2.3.4;x=\\\", for=6.6.6.6"], "6.6.6.6"),
        (["for=1.2.3.4;x=\"", "for=6.6.6.6"], "6.6.6.6"),
        (["for=1.2.3.4;x=\", for=\"[2001:db8::6]:443\";proto=https"], "2001:db8::6"),
        (["for=1.2.3.4, \u{E9}{}, for=6.6.6.6"], "6.6.6.6"),
        // If an element does not contain an address, the connection's address is used. The addresses
        // further to the left can't be trusted.
        (["for=192.0.2.43, for=unknown"], "10.0.0.1"),
        (["for=_hidden"], "10.0.0.1"),
        (["for=\"_hidden:_port\""], "10.0.0.1"),
        (["for=192.0.2.43, proto=https"], "10.0.0.1"),
        (["for=192.0.2.43, for=6.6.6.6;for=7.7.7.7"], "10.0.0.1"),
        (["for=192.0.2.43, for = 6.6.6.6"], "10.0.0.1"),
        (["for=192.0.2.43, for=6.6.6.6 x"], "10.0.0.1"),
        (["for=192.0.2.43, for=\"6.6.6.6"], "10.0.0.1"),
        (["for=192.0.2.43, for=\"6.6.6.6\"x"], "10.0.0.1"),
        (["for=192.0.2.43, for="], "10.0.0.1"),
        (["for=192.0.2.43, for=[2001:db8::17]"], "10.0.0.1"),
        (["for=192.0.2.43, bad(, for=10.0.0.9"], "10.0.0.1"),
        (["for=192.0.2.43,"], "192.0.2.43"),
        (["for=192.0.2.43, ,for=10.0.0.9", " "], "192.0.2.43"),
        (["for=192.0.2.43, ;"], "10.0.0.1"),
        ([""], "10.0.0.1"),
        ([], "10.0.0.1"),
    ])
    func `Proxies specify the client in the Forwarded header`(forwarded: [String], seen: String) {
        var request = request("Forwarded", forwarded)
        // The client has also sent `X-Forwarded-For`, which the proxies pass on unchanged.
        request.headers.fields.append(HTTP.Headers.Field(name: "X-Forwarded-For", value: "6.6.6.7"))

        #expect(self.seen(request, .forwarded) == seen)
    }

    @Test func `A forwarded address has no port`() {
        let request = request("X-Forwarded-For", ["198.51.100.7:4711"])
        let proxied = ForwardedHeaderMiddleware(ReplaceableHandler(), trusting: ["10.0.0.1"])
        #expect(proxied.client(of: request, from: PeerAddress(host: "10.0.0.1", port: 1)).port == nil)
        #expect(proxied.client(of: request, from: PeerAddress(host: "10.0.0.2", port: 1)).port == 1)
    }

    @Test(arguments: [(31, "192.0.2.43"), (32, "10.0.0.1"), (4000, "10.0.0.1")])
    func `The client is found behind at most 31 trusted proxies`(proxies: Int, seen: String) {
        let hops = ["192.0.2.43"] + Array(repeating: "10.0.0.2", count: proxies)

        #expect(self.seen(request("X-Forwarded-For", [hops.joined(separator: ",")]), .xForwardedFor) == seen)
        #expect(
            self.seen(request("Forwarded", [hops.map { "for=" + $0 }.joined(separator: ",")]), .forwarded)
                == seen
        )
    }
}

@Suite struct `Untrusted proxies` {
    @Test(arguments: ["X-Forwarded-For", "Forwarded"])
    func `A warning about an untrusted proxy is logged at most once an hour`(field: String) throws {
        let (time, lines) = (VirtualTime(), Locked<[String]>([]))
        let log = Log(.warning, time: time) { line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        let notice = UntrustedProxyNotice(log: log, time: time)
        let peer = ForwardedHeaderMiddleware(ReplaceableHandler(), trusting: ["10.0.0.1"], notice: notice)
        var request = HTTP.Request(.get, "/")
        func pass(from host: String) {
            _ = peer.client(of: request, from: PeerAddress(host: host, port: 1))
        }

        pass(from: "192.0.2.1")
        #expect(lines.withLock { $0 } == [])
        request.headers[field] = "for=6.6.6.6"
        pass(from: "10.0.0.1")
        #expect(lines.withLock { $0 } == [])
        for _ in 0..<1000 { pass(from: "192.0.2.1") }
        #expect(lines.withLock { $0.count } == 1)
        let line = try #require(lines.withLock { $0.first })
        #expect(line.contains(#""event":"proxy.untrusted""#) && line.contains(#""peer":"192.0.2.1""#))
        #expect(line.contains(field) && line.contains("trusted_proxies") && !line.contains("6.6.6.6"))
        time.stepWallClock(by: .seconds(-86_400))
        time.advance(by: .seconds(3600))
        pass(from: "192.0.2.1")
        #expect(lines.withLock { $0.count } == 2)
    }
}
