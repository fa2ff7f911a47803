import Testing

@testable import LatchkeyAccounts

@Suite struct `Redirect URIs` {
    private static let rules = RedirectURI.Rules()
    private static let native = {
        var rules = RedirectURI.Rules()
        rules.isNative = true
        return rules
    }()
    private static let short = {
        var rules = RedirectURI.Rules()
        rules.allowsShortSchemes = true
        return rules
    }()
    private static let insecure = {
        var rules = RedirectURI.Rules()
        rules.allowsHTTP = true
        return rules
    }()

    @Test(
        arguments: [
            ("https://app.example.com/callback", rules, .https),
            ("https://app.example.com", rules, .https),
            ("https://app.example.com:8443/cb?tenant=1&x=%20", rules, .https),
            ("https://APP.example.com/cb", rules, .https),
            ("HTTPS://app.example.com/cb", rules, .https),
            ("https://localhost/cb", rules, .https),
            ("https://192.0.2.1/cb", rules, .https),
            ("https://[2001:db8::1]/cb", rules, .https),
            ("https://app.example.com/a@b", rules, .https),
            ("https://app.example.com/...", rules, .https),
            ("http://127.0.0.1/cb", rules, .loopback),
            ("http://127.0.0.1:3000/cb", rules, .loopback),
            ("http://127.0.0.1", rules, .loopback),
            ("http://[::1]/cb", rules, .loopback),
            ("http://[::1]:3000/cb?x=1", rules, .loopback),
            ("http://localhost/cb", native, .localhost),
            ("http://localhost:3000/cb", native, .localhost),
            ("http://localhost:3000/cb", insecure, .localhost),
            ("http://app.example.com/cb", insecure, .http),
            ("http://127.0.0.2/cb", insecure, .http),
            ("com.example.app:/callback", rules, .privateUse),
            ("com.example.app:/", rules, .privateUse),
            ("com.example.app://callback", rules, .privateUse),
            ("com.example.app://callback/done?x=1", rules, .privateUse),
            ("com.example.app:///callback", rules, .privateUse),
            ("Com.Example.App:/callback", rules, .privateUse),
            ("myapp:/callback", short, .privateUse),
            ("my-app+2://callback", short, .privateUse),
            ("com.example.app:/user@callback", rules, .privateUse),
        ] as [(String, RedirectURI.Rules, RedirectURI.Kind)]
    )
    func `A URI is accepted`(text: String, rules: RedirectURI.Rules, kind: RedirectURI.Kind) throws {
        let uri = try RedirectURI(text, by: rules)

        #expect(uri.kind == kind)
        #expect(uri.text == text)
        #expect(uri.matches(text))
        #expect(RedirectURI(stored: text) == uri)
    }

    @Test(
        arguments: [
            ("", rules, "an absolute URI"),
            ("/callback", rules, "an absolute URI"),
            ("app.example.com/callback", rules, "an absolute URI"),
            ("//app.example.com/callback", rules, "an absolute URI"),
            (":/callback", rules, "an absolute URI"),
            ("https", rules, "an absolute URI"),
            ("callback", short, "an absolute URI"),
            ("1app.x:/callback", rules, "an absolute URI"),
            ("my_app.x:/callback", rules, "an absolute URI"),
            ("https://app.example.com/cb#fragment", rules, "fragment"),
            ("https://app.example.com/cb#", rules, "fragment"),
            ("com.example.app:/cb#x", rules, "fragment"),
            ("https://user@app.example.com/cb", rules, "user information"),
            ("https://user:password@app.example.com/cb", rules, "user information"),
            ("https://app.example.com@attacker.example/cb", rules, "user information"),
            ("http://127.0.0.1@attacker.example/cb", rules, "user information"),
            ("com.example.app://user@host/cb", rules, "user information"),
            ("https://*.example.com/cb", rules, "wildcards"),
            ("https://app.example.com/*", rules, "wildcards"),
            ("https://app.example.com/cb?x=*", rules, "wildcards"),
            ("com.example.app://*", rules, "wildcards"),
            ("http://app.example.com/cb", rules, "must use https"),
            ("http://app.example.com/cb", native, "must use https"),
            ("http://127.0.0.2/cb", rules, "must use https"),
            ("http://127.0.0.1.example.com/cb", rules, "must use https"),
            ("http://0.0.0.0/cb", rules, "must use https"),
            ("http://[::2]/cb", rules, "must use https"),
            ("http://[::11]/cb", rules, "must use https"),
            ("http://localhost.example.com/cb", native, "must use https"),
            ("http://sub.localhost/cb", native, "must use https"),
            ("http://localhost/cb", rules, "only native clients can use localhost"),
            ("http://localhost:3000/cb", rules, "only native clients can use localhost"),
            ("javascript:alert(1)", short, "the scheme javascript"),
            ("JavaScript:/alert(1)", short, "the scheme javascript"),
            ("data:text/html,x", short, "the scheme data"),
            ("blob:https://app.example.com/1", short, "the scheme blob"),
            ("file:///etc/passwd", short, "the scheme file"),
            ("vbscript:x", short, "the scheme vbscript"),
            ("view-source:https://app.example.com", short, "the scheme view-source"),
            ("about:blank", short, "the scheme about"),
            ("intent://scan/#Intent", short, "fragment"),
            ("intent://scan/", short, "the scheme intent"),
            ("mailto:a@example.com", short, "the scheme mailto"),
            ("urn:ietf:wg:oauth:2.0:oob", short, "the scheme urn"),
            ("ws://app.example.com/cb", short, "the scheme ws"),
            ("ftp://app.example.com/cb", short, "the scheme ftp"),
            ("myapp:/callback", rules, "contains a dot"),
            ("myapp:/callback", native, "contains a dot"),
            ("myapp://callback.example.com", rules, "contains a dot"),
            ("com.example.app:callback", rules, "a slash after the scheme"),
            ("com.example.app:", rules, "a slash after the scheme"),
            ("https:app.example.com/cb", rules, "a valid https URL"),
            ("https:/app.example.com/cb", rules, "a valid https URL"),
            ("https://", rules, "a valid https URL"),
            ("https:///cb", rules, "a valid https URL"),
            ("https://app.example.com:0/cb", rules, "a valid https URL"),
            ("https://app.example.com:65536/cb", rules, "a valid https URL"),
            ("https://app.example.com:x/cb", rules, "a valid https URL"),
            ("https://app_example%2ecom/cb", rules, "a valid https URL"),
            ("https://app.example.com/%zz", rules, "a valid https URL"),
            ("https://app.example.com/<x>", rules, "a valid https URL"),
            ("http://127.0.0.1:99999/cb", rules, "a valid http URL"),
            ("com.example.app:/%zz", rules, "a valid URI"),
            ("https://app.example.com/a/../cb", rules, "dot segments"),
            ("https://app.example.com/./cb", rules, "dot segments"),
            ("https://app.example.com/a/%2e%2E/cb", rules, "dot segments"),
            ("com.example.app:/a/../cb", rules, "dot segments"),
            ("https://app.example.com\\@attacker.example", rules, "backslashes"),
            ("https://app.example.com/c b", rules, "white space"),
            ("https://app.example.com/cb\n", rules, "white space"),
            (" https://app.example.com/cb", rules, "white space"),
            ("https://app.example.com/cb\u{7F}", rules, "white space"),
            ("https://äpp.example.com/cb", rules, "non-ASCII"),
            ("https://app.example.com/\u{202E}", rules, "non-ASCII"),
            ("https://app.example.com/" + String(repeating: "a", count: 489), rules, "longer than 512 bytes"),
        ] as [(String, RedirectURI.Rules, String)]
    )
    func `A URI is rejected with the reason`(text: String, rules: RedirectURI.Rules, reason: String) {
        let refusal = #expect(throws: RedirectURI.Refusal.self) { try RedirectURI(text, by: rules) }

        #expect(refusal?.reason.contains(reason) == true, "\(refusal?.reason ?? "")")
    }

    @Test func `A URI can have 512 bytes`() throws {
        let text = "https://app.example.com/" + String(repeating: "a", count: 488)

        #expect(text.utf8.count == 512)
        #expect(try RedirectURI(text, by: Self.rules).text == text)
    }

    /// The longest path below a loopback address, to which a request can add a port.
    private static let longest = String(repeating: "a", count: 512 - "http://127.0.0.1/".utf8.count)

    @Test(arguments: [
        ("https://app.example.com/cb", "https://app.example.com/cb", true),
        ("https://app.example.com/cb", "https://app.example.com/cb/", false),
        ("https://app.example.com/cb", "https://app.example.com/CB", false),
        ("https://app.example.com/cb", "https://APP.example.com/cb", false),
        ("https://app.example.com/cb", "https://app.example.com:443/cb", false),
        ("https://app.example.com/cb", "https://app.example.com:444/cb", false),
        ("https://app.example.com/cb", "https://app.example.com/cb?x=1", false),
        ("https://app.example.com/cb", "https://app.example.com/%63b", false),
        ("https://app.example.com/cb", "http://app.example.com/cb", false),
        ("https://app.example.com/cb", "https://app.example.com/cb#x", false),
        ("https://app.example.com/é", "https://app.example.com/e\u{301}", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb", true),
        ("http://127.0.0.1/cb", "http://127.0.0.1:65535/cb", true),
        ("http://127.0.0.1:8080/cb", "http://127.0.0.1:3000/cb", true),
        ("http://127.0.0.1:8080/cb", "http://127.0.0.1/cb", true),
        ("http://127.0.0.1:8080", "http://127.0.0.1:3000", true),
        ("http://127.0.0.1:8080", "http://127.0.0.1", true),
        ("http://127.0.0.1/cb?x=1", "http://127.0.0.1:3000/cb?x=1", true),
        ("http://127.0.0.1?x=1", "http://127.0.0.1:3000?x=1", true),
        ("http://127.0.0.1:3000?x=1", "http://127.0.0.1?x=1", true),
        ("http://127.0.0.1/" + longest, "http://127.0.0.1:65535/" + longest, true),
        ("http://127.0.0.1/" + longest, "http://127.0.0.1:65535/" + longest + "a", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:65536/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:99999/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:100000/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:0/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:080/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:x/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:80@attacker.example/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1.attacker.example/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:3000/cb/x", false),
        ("http://127.0.0.1/cb", "http://[::1]:3000/cb", false),
        ("http://127.0.0.1/cb", "http://localhost:3000/cb", false),
        ("http://127.0.0.1/cb", "https://127.0.0.1:3000/cb", false),
        ("http://[::1]/cb", "http://[::1]:3000/cb", true),
        ("http://[::1]/cb", "http://[::1]:70000/cb", false),
        ("http://localhost/cb", "http://localhost:3000/cb", true),
        ("http://localhost/cb", "http://localhost.attacker.example/cb", false),
        ("http://app.example.com/cb", "http://app.example.com:81/cb", false),
        ("com.example.app:/cb", "com.example.app:/cb", true),
        ("com.example.app:/cb", "com.example.app://cb", false),
        ("com.example.app:/cb", "com.example.APP:/cb", false),
    ])
    func `Redirect URIs are compared as strings, except for the port of loopback addresses`(
        registered: String,
        requested: String,
        isSame: Bool
    ) {
        let uri = RedirectURI(stored: registered)
        // A URI that can't be registered doesn't match any request either.
        #expect((uri?.matches(requested) ?? false) == isSame)
    }
}
