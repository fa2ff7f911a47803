import LatchkeyWire
import Testing

@testable import LatchkeyServerKit

@Suite struct `Return URLs` {
    private let allowed = ReturnURLs(
        [
            "https://app.example.com", "https://shop.example.com/back/", "https://example.com/in",
            "https://*.example.net", "http://*.example.org:8080/in", "myapp://done",
            "com.example.app://callback",
            "https://[2001:db8::1]", "http://dev.example.com", "not a URL", "javascript://app", "1app://done",
            "my_app://done", "my/app://done", "https:///x", "myapp://done:80", "https://[::1]x80",
            "https://app.example.com:100000",
        ],
        own: "https://id.example.com"
    )

    @Test(arguments: [
        ("https://app.example.com", "https://app.example.com/"),
        ("https://app.example.com/x?y#z", "https://app.example.com/x?y#z"),
        ("HTTPS://APP.example.com:443/", "https://app.example.com/"),
        ("https://app.example.com/%7euser/%e2%82%ac", "https://app.example.com/~user/%E2%82%AC"),
        (
            "https://app.example.com/<a>\"?b=<c>|\\#{d}",
            "https://app.example.com/%3Ca%3E%22?b=%3Cc%3E%7C%5C#%7Bd%7D"
        ),
        ("https://app.example.com?x", "https://app.example.com/?x"),
        ("https://app.example.com#//evil.example", "https://app.example.com/#//evil.example"),
        ("https://shop.example.com/back/x", "https://shop.example.com/back/x"),
        ("https://shop.example.com/back/..a/b..c/...", "https://shop.example.com/back/..a/b..c/..."),
        ("https://shop.example.com/back/%20/;x", "https://shop.example.com/back/%20/;x"),
        ("https://shop.example.com/back/x?..%2f..", "https://shop.example.com/back/x?..%2f.."),
        ("https://example.com/%69n/a%2fb", "https://example.com/in/a%2Fb"),
        ("https://a.example.net/x", "https://a.example.net/x"),
        ("http://a-b.example.org:8080/in/x", "http://a-b.example.org:8080/in/x"),
        ("https://[2001:DB8::1]/", "https://[2001:db8::1]/"),
        ("http://dev.example.com:80/x", "http://dev.example.com/x"),
        ("myapp://done", "myapp://done"), ("myapp://done/x?y=1", "myapp://done/x?y=1"),
        ("com.example.app://callback", "com.example.app://callback"),
        ("/", "https://id.example.com/"), ("/settings?a=b", "https://id.example.com/settings?a=b"),
        ("https://ID.example.com/x", "https://id.example.com/x"),
    ])
    func `An allowed URL is returned in its normalized form`(_ address: String, normalized: String) {
        #expect(allowed.normalized(address) == normalized)
        #expect(allowed.normalized(normalized) == normalized)
    }

    @Test(arguments: [
        // Other origins and paths.
        "http://app.example.com/", "https://app.example.com:444/", "https://app.example.com.evil.org/",
        "https://evil.org/https://app.example.com", "https://shop.example.com/back",
        "https://shop.example.com/backdoor", "https://example.com/inside", "https://example.com/IN",
        "https://example.net/", "https://a.b.example.net/", "https://evilexample.net/",
        "https://.example.net/",
        "https://evil\\.example.net/", "https://evil%2f.example.net/", "https://evil\"x.example.net/",
        "https://a.example.net:8443/", "https://a.example.org:8080/in", "http://a.example.org:8080/inside",
        "myapp://other", "myapp://done.evil.org", "com.example.app://callback.evil.org",
        "com.example.app:/callback",
        "https://app.example.com./", "https://appexample.com/", "https://sub.app.example.com/",
        "http://dev.example.com:443/",
        // Entries that aren't valid URLs.
        "1app://done", "my_app://done", "my/app://done", "https:///x", "myapp://done:80", "https://[::1]x80",
        "https://[::1]:80/", "https://app.example.com:100000/",
        // User information.
        "https://app.example.com@evil.org/", "https://user:password@app.example.com/",
        "https://app.example.com:443@evil.org/", "https://@app.example.com/",
        // Scheme-relative and incomplete forms.
        "//app.example.com", "///app.example.com", "////evil.org", "/\\evil.org", "/\\/evil.org",
        "\\\\evil.org",
        "http:evil.example", "https:app.example.com", "https:/app.example.com", "https:///app.example.com",
        "https://", "https:// app.example.com", "://app.example.com", "app.example.com", "x", "?x", "#x", "",
        // Backslashes, control characters and others that parsers treat differently.
        "https://app.example.com\\@evil.org", "https://app.example.com\\.evil.org/",
        "https:\\\\app.example.com/",
        "https://app.example.com/a\\b", "https://app.example.com/\n", "https://app.example.com/\t",
        "https://app.example.com/\r\nLocation: x", "https://app.example.com/\0",
        "https://app.example.com/\u{7F}",
        "https://app.example.com/é", "https://аpp.example.com/", "https://app.example。com/",
        " https://app.example.com/",
        "https://app.example.com%2eevil.org/", "https://app.example.com%00.evil.org/",
        "https://app.example.com:/",
        "https://app.example.com:0443/x@", "https://app.example.com:65536/", "https://app.example.com:+443/",
        "https://app.example.com/a b", "https://app.example.com/%", "https://app.example.com/%a",
        "https://app.example.com/%+1", "https://app.example.com/%zz", "https://[app.example.com]/",
        "https://[::1/",
        // Dot segments.
        "https://shop.example.com/back/../x", "https://shop.example.com/back/..",
        "https://example.com/in/./x",
        "https://shop.example.com/back/%2e%2e/x", "https://shop.example.com/back/%2E.",
        "https://shop.example.com/back/.%2e", "https://shop.example.com/back/..;/x",
        "https://shop.example.com/back/..;a=b/x", "https://shop.example.com/back/%2e%2e%3bx/y",
        "https://shop.example.com/back/..%2fx", "https://shop.example.com/back/..%5Cx",
        "https://shop.example.com/back/a%5c..%5cx", "https://shop.example.com/back/%252e%252e/x",
        "https://shop.example.com/back/%25252525252525252e", "/../x", "/a/%2e%2e/b",
        // Code, data and files.
        "javascript:alert(1)", "javascript://app.example.com/%0aalert(1)", "javascript://app",
        "JavaScript://app",
        "data:text/html,x", "data://app", "blob:https://app.example.com/x", "file:///etc/passwd",
        "file://app",
        "vbscript://app", "about:blank", "view-source://app",
    ])
    func `Other URLs are rejected`(_ address: String) {
        #expect(allowed.normalized(address) == nil)
    }

    @Test func `A URL can have at most 512 bytes`() {
        let start = "https://app.example.com/"
        let longest = start + String(repeating: "x", count: 512 - start.count)

        #expect(allowed.normalized(longest) == longest)
        #expect(allowed.normalized(longest + "x") == nil)
        #expect(allowed.normalized(start + String(repeating: "%7e", count: 163)) == nil)
        #expect(allowed.normalized(start + String(repeating: "<", count: 200)) == nil)
    }

    @Test func `A path is rejected if the server's own URL is unknown`() {
        #expect(ReturnURLs(["https://app.example.com"]).normalized("/x") == nil)
    }
}
