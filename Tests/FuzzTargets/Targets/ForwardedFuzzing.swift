import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes the header fields in which proxies specify the client's address.
    static let forwarded = FuzzTarget(
        name: "forwarded",
        summary: "A proxy header field from a client, to which a trusted proxy appends the client's address.",
        words: [
            "for=", "For=", "by=", "proto=https", "host=", "\"[2001:db8::17]:4711\"", "unknown", "_hidden",
            "10.0.0.2", "6.6.6.6:8080", "[2001:db8::1]:443", "\\\"", "\\\\", "\"", ";", ",", ", ",
        ]
    ) { bytes in
        let input = FuzzInput(bytes)
        let added = input.choose(from: additions)
        let sent = input.text(0)
        for lines in [[sent + ", " + added.element], [sent, added.element]] {
            try expect(
                client(lines, added.field) == IPAddress("192.0.2.43"),
                "text from a client does not change the address that a proxy appends to it"
            )
        }
        let alone = client([sent], added.field)
        // Empty elements count towards the limit.
        if sent.utf8.count(where: { $0 == UInt8(ascii: ",") }) < 30 {
            try expect(
                client([sent + ","], added.field) == alone,
                "an empty element does not change the client's address"
            )
        }
        try expect(
            client([sent, "?"], added.field) == peer,
            "an element that cannot be parsed is treated as a missing field"
        )
    }

    private static let peer = IPAddress("10.0.0.1") ?? .loopback

    private static let additions: [(field: ProxyHeader, element: String)] = [
        (.forwarded, "for=192.0.2.43"),
        (.forwarded, "for=\"192.0.2.43:8080\";proto=https;host=\"a,b;c\\\"d\\\\\""),
        (.forwarded, "for=192.0.2.43;by=\"[fd00::1]\", for=10.0.0.2"),
        (.xForwardedFor, "192.0.2.43"),
        (.xForwardedFor, "192.0.2.43:8080, 10.0.0.2"),
    ]

    private static func client(_ lines: [String], _ field: ProxyHeader) -> IPAddress {
        var request = HTTP.Request(.get, "/")
        let name = field == .forwarded ? "Forwarded" : "X-Forwarded-For"
        request.headers.fields = lines.map { HTTP.Headers.Field(name: name, value: $0) }
        let handler = ForwardedHeaderMiddleware(ReplaceableHandler(), trusting: ["10.0.0.0/8"], in: field)
        return handler.client(of: request, from: PeerAddress(peer)).address
    }
}
