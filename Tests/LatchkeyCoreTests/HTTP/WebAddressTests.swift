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
            ("https://e.com/@me", "https://e.com", "/@me", nil),
            ("https://e.com?a=b@c.com", "https://e.com", "", "a=b@c.com"),
            ("https://e.com/a:b;c=(d)!$&'*+,~[e]?f=/?:@", "https://e.com", "/a:b;c=(d)!$&'*+,~[e]", "f=/?:@"),
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

    @Test(
        arguments: [
            ("", .noScheme), ("id.example.com", .noScheme), ("localhost:4433", .noScheme),
            ("https:/e.com", .noScheme), ("://e.com", .noScheme), ("ftp://e.com", .unknownScheme),
            ("https://", .noHost), ("https:///x", .noHost), ("https://:80", .noHost),
            ("https://user@e.com", .userInformation), ("https://e.com@evil.example/", .userInformation),
            ("https://@e.com", .userInformation), ("https://a:b@e.com?c", .userInformation),
            ("https://e.com:0", .port), ("https://e.com:99999", .port), ("https://e.com:", .port),
            ("https://e.com:-1", .port), ("https://e.com:80:80", .host),
            ("https://e.com/#x", .fragment), ("https://e.com#@f.com", .fragment),
            ("https://e.com/a b", .whiteSpace), (" https://e.com", .whiteSpace),
            ("https://e.com\r\nX: y", .whiteSpace), ("https://e.com/\u{7F}", .whiteSpace),
            ("https://é.com", .hostNotASCII), ("https://\u{212A}.com", .hostNotASCII),
            ("https://[::1", .host), ("https://[zz]/", .host), ("https://e%2ecom", .host),
            ("https://e.com\\f.com", .host),
            ("https://e.com/é", .notASCII), ("https://e.com/?é", .notASCII),
            ("https://e.com/a\\b", .character), ("https://e.com/?{", .character),
            ("https://e.com/%", .percentEncoding), ("https://e.com/%4", .percentEncoding),
            ("https://e.com/%%41", .percentEncoding), ("https://e.com/?a=100%", .percentEncoding),
            ("https://e.com/%4?1", .percentEncoding),
        ] as [(String, WebAddressError)]
    )
    func `A malformed web address is rejected with the part that is wrong`(
        _ text: String,
        _ error: WebAddressError
    ) {
        #expect(throws: error) { try WebAddress(parsing: text) }
        #expect(WebAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("https://e.com#x", "https://e.com", "", nil),
            ("https://e.com/a#b?c@d", "https://e.com", "/a", nil),
            ("https://e.com/a?b#c#d", "https://e.com", "/a", "b"),
            ("https://e.com#@f.com/", "https://e.com", "", nil),
        ] as [(String, String, String, String?)]
    )
    func `A fragment can be dropped`(
        _ text: String,
        _ origin: String,
        _ path: String,
        _ query: String?
    ) throws {
        let address = try WebAddress(parsing: text, dropsFragment: true)

        #expect(address.origin == origin && address.path == path && address.query == query)
    }

    @Test(arguments: ["https://e.com/", "https://e.com/v1", "https://e.com?a"])
    func `An origin has no path and no query`(_ text: String) {
        #expect(throws: WebAddressError.notOrigin) { try WebAddress(origin: text) }
    }

    @Test(arguments: WebAddressError.allCases)
    func `The reason for a rejection reads as a sentence`(_ error: WebAddressError) {
        let message = error.message(about: "The server URL")

        #expect(message.hasPrefix("The server URL ") && message.hasSuffix("."))
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
