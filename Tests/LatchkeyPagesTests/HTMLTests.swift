import Testing

@testable import LatchkeyPages

@Suite struct `Writing HTML` {
    private func text(_ content: (inout HTML) -> Void) -> String {
        String(decoding: HTML(content).bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\" onload='x' &amp;", "&quot; onload=&#39;x&#39; &amp;amp;"),
        ("a\u{0}b\u{1B}", "a\u{FFFD}b\u{FFFD}"),
        ("Ærlig 😀", "Ærlig 😀"), ("", ""),
    ]) func `Text is escaped in elements and in attributes`(_ text: String, _ escaped: String) {
        #expect(self.text { $0.text(text) } == escaped)
        #expect(self.text { $0.add(.input, with: [.value(text)]) } == "<input value=\"\(escaped)\">")
    }

    @Test func `Attributes without a value and missing attributes are written correctly`() {
        let html = text { html in
            html.add(.group, with: [.id(.field(1)), nil]) { html in
                html.add(.input, with: [.type(.text), .required])
            }
        }
        #expect(html == #"<div id="field-1"><input type="text" required></div>"#)
    }

    @Test func `Texts of other parties are isolated from the text around them`() {
        #expect(text { $0.untrusted(UntrustedText("שלום<")) } == "<bdi>שלום&lt;</bdi>")
    }
}

@Suite struct `Link URLs` {
    @Test(arguments: [
        "https://shop.example.com/a?b=c#d", "http://127.0.0.1:8080/", "/login?flow=1", "/",
        "HTTPS://EXAMPLE.ORG",
    ]) func `Accepts web addresses and paths of the server`(_ url: String) {
        #expect(LinkURL(url)?.text == url)
    }

    @Test(arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", "java\nscript:alert(1)", "\tjavascript:alert(1)",
        "data:text/html,x", "vbscript:x", "//evil.example", "/\\evil.example", "https:evil.example",
        "https://", "https://user@evil.example", "com.example.app://in", "login", "", "https://a b",
    ]) func `Rejects scripts, other schemes and addresses that browsers read differently`(_ url: String) {
        #expect(LinkURL(url) == nil)
        #expect(LogoURL(url) == nil)
    }

    @Test(arguments: ["com.example.app:/callback", "https://shop.example.com/in", "http://[::1]:1234/x"])
    func `Accepts the redirect URIs of clients`(_ url: String) {
        #expect(LinkURL(redirect: url)?.text == url)
    }

    @Test(arguments: [
        "javascript:alert(1)", "JAVASCRIPT:alert(1)", "vbscript:x", "data:text/html,x", "blob:x",
        "file:///etc",
        "about:blank", "view-source:x", "/path", "1x:y", "java\tscript:x",
    ]) func `Rejects redirect URIs that a browser would run or read itself`(_ url: String) {
        #expect(LinkURL(redirect: url) == nil)
    }

    @Test func `Logos are only loaded by https`() {
        #expect(LogoURL("https://shop.example.com/logo.png") != nil)
        #expect(LogoURL("http://shop.example.com/logo.png") == nil)
        #expect(LogoURL("/logo.png") == nil)
    }

    @Test func `Links between pages carry parameters in encoded form`() throws {
        let external = try #require(LinkURL("https://login.example.com/in?x=1"))
        let urls = PageURLs(base: "https://id.example.com/id", replacing: [.login: external])
        let parameters = PageParameters(returnTo: "https://a.example/?b&c", loginChallenge: "1")
        let query = "return_to=https%3A%2F%2Fa.example%2F%3Fb%26c&login_challenge=1"
        #expect(
            urls.page(.recovery, with: parameters).text == "https://id.example.com/id/recovery?\(query)"
        )
        #expect(urls.page(.login, with: parameters).text == "https://login.example.com/in?x=1&\(query)")
        #expect(urls.page(.welcome).text == "https://id.example.com/id/welcome")
    }
}

@Suite struct `Untrusted texts` {
    @Test(arguments: [
        ("The Shop", "The Shop"), ("evil\u{202E}gnp.exe", "evilgnp.exe"), ("a\u{2066}b\u{200F}c", "abc"),
        ("two\nlines", "two lines"), ("\u{1B}[31m", "[31m"),
    ]) func `Control characters and changes of direction are removed`(_ text: String, _ shown: String) {
        #expect(UntrustedText(text).text == shown)
    }

    @Test func `Long texts are cut off`() {
        let text = UntrustedText(String(repeating: "x", count: 1000)).text
        #expect(text.unicodeScalars.count == UntrustedText.limit)
        #expect(text.hasSuffix("x…"))
        let address = String(repeating: "x", count: 240) + "@example.org"
        #expect(UntrustedText(address: address).text == address)
        #expect(UntrustedText(address: address + address).text.unicodeScalars.count == 254)
    }

    @Test func `Texts that could change the direction of a title are isolated there`() {
        #expect(UntrustedText("Shop").isolated == "Shop")
        #expect(UntrustedText("שלום").isolated == "\u{2068}שלום\u{2069}")
    }

    @Test func `Clients without a name are shown with their id, and their URLs are checked`() {
        let client = PageClient(
            id: "shop-1",
            name: " \u{200B}",
            clientURI: "javascript:alert(1)",
            logoURI: "http://a.example/x.png",
            policyURI: "/login",
            termsURI: "https://a.example/terms"
        )
        #expect(client.name.text == "shop-1")
        #expect(client.url == nil && client.logo == nil && client.privacyPolicy == nil)
        #expect(client.termsOfService != nil)
    }
}
