import Testing

@testable import LatchkeyCore

/// Any program can open a URL of the app, so these tables contain what other programs may try.
@Suite struct `Addresses of an app` {
    @Test(arguments: [
        ("com.example.shop:/callback", "com.example.shop:/callback?code=1", "code=1"),
        ("com.example.shop:/callback", "COM.example.Shop:/callback?code=1", "code=1"),
        ("com.example.shop:/callback", "com.example.shop:/callback", ""),
        ("com.example.shop:/callback", "com.example.shop:/callback?code=1#fragment", "code=1"),
        ("com.example.shop:/callback", "com.example.shop:/callback?a=b?c", "a=b?c"),
        ("com.example.shop://callback", "com.example.shop://callback/?code=1", "code=1"),
        ("com.example.shop://callback/", "com.example.shop://callback?code=1", "code=1"),
        ("com.example.shop://login/cb", "com.example.shop://LOGIN/cb?code=1", "code=1"),
        ("https://shop.example.com/cb", "https://SHOP.example.com/cb?code=1", "code=1"),
        ("http://127.0.0.1:49152/x", "http://127.0.0.1:49152/x?code=1", "code=1"),
    ])
    func `A URL that leads to an address has its query`(address: String, url: String, query: String) throws {
        #expect(try #require(RedirectAddress(address)).query(of: url) == query)
    }

    @Test(arguments: [
        "", ":", "com.example.shop", "com.example.shop:", "com.example.shop:callback?code=1",
        "com.example.shop:/callback/?code=1", "com.example.shop:/Callback?code=1",
        "com.example.shop:/callback2?code=1", "com.example.shop:/callbac?code=1",
        "com.example.shop:/%63allback?code=1", "com.example.shop:/x/../callback?code=1",
        "com.example.shop://callback?code=1", "com.example.shop:///callback?code=1",
        "com.example.shop.evil:/callback?code=1", "evil.com.example.shop:/callback?code=1",
        "https://com.example.shop:/callback?code=1", " com.example.shop:/callback?code=1",
        "com.example.shop:/callback?code=1\n", "com.example.shop:/callback?code=\u{E9}",
        "com.example.\u{455}hop:/callback?code=1", "com.example.shop:/callback\0?code=1",
        "com.example.shop:/callback;x?code=1",
    ])
    func `Other URLs don't belong to the app`(url: String) throws {
        #expect(try #require(RedirectAddress("com.example.shop:/callback")).query(of: url) == nil)
    }

    @Test func `A URL that is too long belongs to no app`() throws {
        let address = try #require(RedirectAddress("com.example.shop:/callback"))
        let start = "com.example.shop:/callback?code="
        let longest = start + String(repeating: "a", count: RedirectAddress.byteLimit - start.utf8.count)
        #expect(address.query(of: longest) != nil)
        #expect(address.query(of: longest + "a") == nil)
        #expect(address.query(of: start + String(repeating: "a", count: 1_048_576)) == nil)
    }

    @Test(arguments: [
        "", "callback", ":/callback", "com.example.shop:/callback?x=1", "com.example.shop:/callback#x",
        "com.example.shop:/call back", "com.example.sh\u{F6}p:/callback",
    ])
    func `An address has a scheme and neither a query nor a fragment`(text: String) {
        #expect(RedirectAddress(text) == nil)
    }
}
