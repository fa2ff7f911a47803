import LatchkeyCore
import LatchkeyWire
import Testing

@Suite struct `Web addresses` {
    @Test(
        arguments: [
            ("https://id.example.com", "https://id.example.com", "", nil),
            ("HTTPS://ID.Example.com:443/", "https://id.example.com", "/", nil),
            ("http://127.0.0.1:4433/x/y", "http://127.0.0.1:4433", "/x/y", nil),
            ("https://[::1]:8443/a?b=c&d", "https://[::1]:8443", "/a", "b=c&d"),
            ("https://api.example.com?q=1", "https://api.example.com", "", "q=1"),
            ("https://e.com/%C3%A9", "https://e.com", "/%C3%A9", nil),
        ] as [(String, String, String, String?)]
    )
    func `Parsing a web address returns its origin, path and query`(
        _ text: String,
        _ origin: String,
        _ path: String,
        _ query: String?
    ) throws {
        let address = try #require(WebAddress(text))

        #expect(address.origin == origin)
        #expect(address.path == path)
        #expect(address.query == query)
    }

    @Test(arguments: [
        "", "id.example.com", "ftp://e.com", "https://", "https:///x", "https://user@e.com",
        "https://e.com:0",
        "https://e.com:99999", "https://e.com:", "https://e.com/#x", "https://e.com/a b",
        "https://e.com\r\nX: y",
        "https://é.com", "https://[::1", "https://e.com:-1", "https://[zz]/",
    ])
    func `A malformed web address is rejected`(_ text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(arguments: [
        ("https://e.com", true), ("http://localhost", true), ("http://127.9.9.9:80", true),
        ("http://[::1]", true),
        ("http://e.com", false), ("http://127.0.0.1.e.com", false), ("http://127.e.com", false),
        ("http://192.168.0.1", false),
    ])
    func `Only HTTPS addresses and local addresses are confidential`(_ text: String, _ expected: Bool)
        throws
    {
        #expect(try #require(WebAddress(text)).isConfidential == expected)
    }
}
