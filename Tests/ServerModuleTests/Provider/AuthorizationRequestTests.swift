import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// The order of the checks of an authorization request: a page as long as the redirect URI can't be trusted, and
/// an error at the redirect URI after that.
@Suite("Checks of authorization requests", .onEachDatabase)
struct AuthorizationRequestTests {
    private let server: ProviderServer

    init() async throws {
        server = try await ProviderServer()
    }

    @Test func `A request whose redirect URI can't be trusted is answered on a page`() async throws {
        let shop = try await server.client()
        let disabled = try await server.client("disabled", own: #""disabled": true"#)
        let addresses: [String: String] = [
            "unknown client": shop.address(["client_id": "unknown"]),
            "no client": shop.address(["client_id": nil]),
            "disabled client": disabled.address(),
            "no redirect URI": shop.address(["redirect_uri": nil]),
            "repeated parameter": shop.address() + "&state=other",
            "repeated client": shop.address() + "&client_id=shop",
            "unknown request URI": shop.address([
                "request_uri": "urn:ietf:params:oauth:request_uri:" + String(repeating: "A", count: 43)
            ]),
            "foreign request URI": shop.address(["request_uri": "https://evil.example/request"]),
            "malformed query": shop.address() + "&x=%zz",
            "large query": shop.address(["x": String(repeating: "x", count: 9000)]),
        ]
        for (name, address) in addresses {
            let visitor = PageVisitor(server.people)
            try await visitor.open(address)
            #expect(visitor.response.status == 400, "\(name): \(visitor.summary)")
            #expect(visitor.location == nil, "\(name)")
            #expect(visitor.response.headers["Content-Type"]?.hasPrefix("text/html") == true, "\(name)")
        }
        #expect(try await server.count("authorization_requests") == 0)
        #expect(try await server.count("grants") == 0)
    }

    /// Redirect URIs that look like the registered `https://shop.example.com/callback`.
    static let hostile = [
        "https://shop.example.com", "https://shop.example.com/", "https://shop.example.com/callback/",
        "https://shop.example.com/callback?", "https://shop.example.com/callback#",
        "https://shop.example.com/callback#x", "https://shop.example.com/callback?x=1",
        "https://shop.example.com/callback/../callback", "https://shop.example.com/./callback",
        "https://shop.example.com/%63allback", "https://shop.example.com/Callback",
        "https://shop.example.com//callback", "https://shop.example.com/callback%2f",
        "https://shop.example.com/callback;x", "https://shop.example.com/callback ",
        " https://shop.example.com/callback", "https://shop.example.com/callback\t",
        "https://shop.example.com/callback\n", "https://shop.example.com/callback%00",
        "https://shop.example.com:443/callback", "https://shop.example.com:444/callback",
        "https://shop.example.com./callback", "https://SHOP.example.com/callback",
        "HTTPS://shop.example.com/callback", "http://shop.example.com/callback",
        "https://evil.example/callback", "https://shop.example.com.evil.example/callback",
        "https://evil.example/https://shop.example.com/callback",
        "https://shop.example.com@evil.example/callback", "https://evil.example@shop.example.com/callback",
        "https://shop.example.com:x@evil.example/callback", "https://evil.example#shop.example.com/callback",
        "https://evil.example?shop.example.com/callback", "https://evil.example\\shop.example.com/callback",
        "https://shop.example.com\\@evil.example/callback", "https:shop.example.com/callback",
        "https:/shop.example.com/callback", "https:///shop.example.com/callback",
        "https:\\\\shop.example.com\\callback", "//shop.example.com/callback", "/callback", "callback", "",
        "javascript:alert(1)", "javascript://shop.example.com/callback", "data:text/html,x",
        "https://shop.example.com/callback,https://evil.example", "https://*.example.com/callback",
        "https://xn--shop-.example.com/callback", "https://shop\u{FF0E}example.com/callback",
        "https://shop.example.com/c\u{0430}llback", "https://shop.example.com/callback\u{200B}",
        "https://sub.shop.example.com/callback", "https://example.com/callback",
        "https://127.0.0.1/callback", "https://[::1]/callback", "http://localhost/callback",
        "com.example.shop:/callback", "com.example.shop://callback", "intent://shop.example.com/callback",
        "file:///callback", "blob:https://shop.example.com/callback", "view-source:https://shop.example.com",
        "ftp://shop.example.com/callback", "wss://shop.example.com/callback", "urn:shop",
    ]

    @Test func `No variant of a redirect URI is accepted`() async throws {
        let shop = try await server.client()
        #expect(Self.hostile.count >= 60)
        for uri in Self.hostile {
            let visitor = PageVisitor(server.people)
            try await visitor.open(shop.address(["redirect_uri": uri]))
            #expect(visitor.response.status == 400, "\(uri)")
            #expect(visitor.location == nil, "\(uri)")
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1/cb", "http://127.0.0.1:4711/cb", true),
        ("http://127.0.0.1/cb", "http://127.0.0.1:0/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:65536/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:4711/other", false),
        ("http://127.0.0.1/cb", "http://127.0.0.2:4711/cb", false),
        ("http://127.0.0.1/cb", "http://localhost:4711/cb", false),
        ("http://127.0.0.1/cb", "https://127.0.0.1:4711/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:4711@evil.example/cb", false),
        ("http://[::1]/cb", "http://[::1]:4711/cb", true),
        ("com.example.shop:/cb", "com.example.shop:/cb", true),
        ("com.example.shop:/cb", "com.example.shop:/cb/x", false),
        ("com.example.shop:/cb", "com.example.shop.evil:/cb", false),
        ("com.example.shop:/cb", "COM.example.shop:/cb", false),
    ])
    func `The redirect URI of a native app`(registered: String, requested: String, isAccepted: Bool)
        async throws
    {
        let app = try await server.client(
            "app",
            secret: nil,
            redirect: registered,
            #""application_type": "native""#
        )
        let visitor = PageVisitor(server.people)
        try await visitor.open(app.address(["redirect_uri": requested]))
        #expect((visitor.response.status == 200) == isAccepted, "\(visitor.summary)")
        #expect((visitor.path == "/login") == isAccepted)
    }

    @Test func `Everything else is answered at the redirect URI`() async throws {
        let shop = try await server.client()
        let open = try await server.client("open", scope: "openid", own: #""pkce": "optional""#)
        let rows: [(String, String, String)] = [
            ("response_type missing", shop.address(["response_type": nil]), "invalid_request"),
            ("token", shop.address(["response_type": "token"]), "unsupported_response_type"),
            ("hybrid", shop.address(["response_type": "code id_token"]), "unsupported_response_type"),
            ("fragment", shop.address(["response_mode": "fragment"]), "invalid_request"),
            ("form_post", shop.address(["response_mode": "form_post"]), "invalid_request"),
            ("request", shop.address(["request": "e30.e30."]), "request_not_supported"),
            ("registration", shop.address(["registration": "{}"]), "registration_not_supported"),
            ("no challenge", shop.address(["code_challenge": nil]), "invalid_request"),
            (
                "no challenge, no method",
                shop.address(["code_challenge": nil, "code_challenge_method": nil]), "invalid_request"
            ),
            ("plain", shop.address(["code_challenge_method": "plain"]), "invalid_request"),
            ("default method", shop.address(["code_challenge_method": nil]), "invalid_request"),
            ("short challenge", shop.address(["code_challenge": "short"]), "invalid_request"),
            (
                "padded challenge", shop.address(["code_challenge": String(repeating: "A", count: 43) + "="]),
                "invalid_request"
            ),
            (
                "optional challenge without nonce",
                open.address(["code_challenge": nil, "code_challenge_method": nil, "nonce": nil]),
                "invalid_request"
            ),
            ("unknown prompt", shop.address(["prompt": "maybe"]), "invalid_request"),
            ("none and login", shop.address(["prompt": "none login"]), "invalid_request"),
            ("negative max_age", shop.address(["max_age": "-1"]), "invalid_request"),
            ("large max_age", shop.address(["max_age": "2147483649"]), "invalid_request"),
            ("max_age is no number", shop.address(["max_age": "1e3"]), "invalid_request"),
            ("hint is no token", shop.address(["id_token_hint": "e30.e30.e30"]), "invalid_request"),
            (
                "long nonce", shop.address(["nonce": String(repeating: "n", count: 513)]), "invalid_request"
            ),
            ("unknown scope only", shop.address(["scope": "address"]), "invalid_scope"),
            ("unregistered scope only", open.address(["scope": "email"]), "invalid_scope"),
            ("no scope", shop.address(["scope": nil]), "invalid_scope"),
            ("bad key", shop.address(["dpop_jkt": "x"]), "invalid_request"),
            ("none without session", shop.address(["prompt": "none"]), "login_required"),
        ]
        for (name, address, error) in rows {
            let visitor = PageVisitor(server.people)
            try await visitor.open(address)
            let location = visitor.location ?? ""
            #expect(location.hasPrefix(ProviderServer.callback + "?"), "\(name): \(visitor.summary)")
            #expect(location.contains("error=\(error)&"), "\(name): \(location)")
            #expect(location.contains("state=the%20state"), "\(name)")
            #expect(location.contains("iss=https%3A%2F%2Fid.example.com"), "\(name)")
            #expect(visitor.response.headers["Cache-Control"] == "no-store", "\(name)")
        }
        let long = PageVisitor(server.people)
        try await long.open(shop.address(["state": String(repeating: "s", count: 2049)]))
        #expect(long.location?.contains("error=invalid_request") == true)
        #expect(try await server.count("authorization_requests") == 0)
    }

    @Test func `Unknown scopes are dropped, and the answer states the granted ones`() async throws {
        let shop = try await server.client(scope: "openid email")
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor, with: ["scope": "openid profile address email other"])
        #expect(tokens["scope"] == "openid email")
        #expect(tokens.refreshToken == nil)
    }

    @Test func `A POST is repeated as a GET, because it has no cookies`() async throws {
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        let query = shop.address().dropFirst(Route.authorization.count + 1)
        let texts = QueryItems(String(query)).texts
        let fields = stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) }
        let answer = await visitor.browser.post(SelfServiceServer.url + Route.authorization, form: fields)
        #expect(answer.status == 303)
        try await visitor.open(try #require(answer.location))
        #expect(visitor.isQuestion)
    }

    @Test func `Programs that look at addresses change nothing`() async throws {
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        _ = try await shop.authorize(visitor)
        let before = try await server.count("grants")
        for address in [shop.address(), shop.address(["prompt": "login"])] {
            let head = await visitor.browser.get(SelfServiceServer.url + address, method: .head)
            #expect(head.status == 200)
            #expect(head.location == nil)
            let prefetch = await visitor.browser.get(
                SelfServiceServer.url + address,
                headers: ["Sec-Purpose": "prefetch"]
            )
            #expect(prefetch.status == 400)
        }
        #expect(try await server.count("grants") == before)
        #expect(try await server.count("authorization_requests", where: "answered_at IS NULL") == 0)
    }

    @Test func `Stored requests of a network are limited`() async throws {
        let limited = try await ProviderServer {
            $0.limits.authorizationsPerAddress = [Rate(2, per: .seconds(60))]
        }
        let shop = try await limited.client()
        for expected in [200, 200, 429] {
            let visitor = PageVisitor(limited.people)
            try await visitor.open(shop.address())
            #expect(visitor.response.status == expected)
        }
        #expect(try await limited.count("authorization_requests") == 2)
    }
}
