import LatchkeyWire
import Testing

@testable import LatchkeySelfService

@Suite struct `Return URLs` {
    private let allowed = ReturnURLs([
        "https://app.example.com", "https://shop.example.com/back/", "myapp://done",
    ])

    @Test(arguments: [
        ("https://app.example.com", true), ("https://app.example.com/x?y#z", true),
        ("HTTPS://APP.example.com/", true),
        ("http://app.example.com/", false), ("https://app.example.com:444/", false),
        ("https://app.example.com.evil.org/", false), ("https://app.example.com@evil.org/", false),
        ("https://evil.org/https://app.example.com", false), ("https://app.example.com\\@evil.org", false),
        ("//app.example.com", false), ("/x", false), ("javascript:alert(1)", false), ("", false),
        ("https://shop.example.com/back/x", true), ("https://shop.example.com/back", false),
        ("https://shop.example.com/backdoor", false), ("https://shop.example.com/back/../x", false),
        ("myapp://done", true), ("myapp://done/x", true), ("myapp://other", false),
        ("https://app.example.com/\n", false),
        ("https://shop.example.com/back/..", false), ("https://shop.example.com/back/%2e%2e/x", false),
        ("https://shop.example.com/back/%2E.", false), ("https://shop.example.com/back/.%2e", false),
        ("https://shop.example.com/back/..;/x", false), ("https://shop.example.com/back/..;a=b/x", false),
        ("https://shop.example.com/back/%2e%2e%3bx/y", false),
        ("https://shop.example.com/back/..%2fx", false),
        ("https://shop.example.com/back/..%5Cx", false), ("https://shop.example.com/back/a%5c..%5cx", false),
        ("https://shop.example.com/back/%252e%252e/x", false),
        ("https://shop.example.com/back/%25252525252525252e", false),
        ("https://shop.example.com/back/..a/b..c/...", true), ("https://shop.example.com/back/%20/;x", true),
        ("https://shop.example.com/back/x?..%2f..", true),
    ]) func `A return URL's origin and path must match an allowed entry`(_ address: String, _ isAllowed: Bool)
    {
        #expect(allowed.contains(address) == isAllowed)
    }
}
