import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Attacks on the pages that users see during the request of a client.
@Suite("Attacks on the pages of requests", .onEachDatabase)
struct ProviderPageAttackTests {
    private static let script = "<script>alert('1')</script>"

    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer()
        shop = try await server.client()
    }

    @Test func `Pages show the name and the addresses of a client as text`() async throws {
        let evil = try await server.client(
            "evil",
            name: Self.script + "\\\"'><img src=x onerror=alert(2)>",
            "\"policy_uri\": \"https://shop.example.com/?a=%22'onmouseover='alert(4)\""
        )
        let stranger = PageVisitor(server.people)
        try await stranger.open(evil.address())
        let user = try await server.signedUp()
        try await user.open(evil.address())
        #expect(stranger.path == "/login" && user.path == "/consent")
        for page in [stranger, user] {
            #expect(page.text.contains("&lt;script&gt;alert("), "\(page.path)")
            #expect(!page.text.contains("<script"), "\(page.path)")
            #expect(!page.text.contains("<img src=x"), "\(page.path)")
            let attributes = page.text.matches(of: #/<[a-z][^>]*\son[a-z]+\s*=/#)
            #expect(attributes.isEmpty, "\(page.path)")
            let policy = try #require(page.response.headers["Content-Security-Policy"])
            #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; img-src 'self' data:; "))
            #expect(!policy.contains("script-src"))
            #expect(page.response.headers["X-Content-Type-Options"] == "nosniff")
            #expect(page.response.headers["Content-Type"] == "text/html; charset=utf-8")
        }
    }

    /// The pages of a request, each with its expected status.
    private func pages() async throws -> [(name: String, page: PageVisitor)] {
        var pages: [(name: String, page: PageVisitor)] = []
        let user = try await server.signedUp()
        func open(_ address: String, as name: String, by visitor: PageVisitor? = nil) async throws {
            let page = visitor.map { PageVisitor(sharing: $0) } ?? PageVisitor(server.people)
            try await page.open(address)
            pages.append((name, page))
        }
        try await open(shop.address(), as: "login")
        try await open(shop.address(["prompt": "create"]), as: "sign-up")
        try await open(shop.address(["prompt": "select_account"]), as: "chooser", by: user)
        try await open(shop.address(), as: "consent", by: user)
        let challenge = try #require(pages.last?.page.field("login_challenge"))
        try await open(Route.authorizationContinuation + "?login_challenge=" + challenge, as: "elsewhere")
        try await open("/consent?login_challenge=" + challenge, as: "elsewhere, consent")
        try await open("/consent?login_challenge=x", as: "malformed", by: user)
        try await open(shop.address(["redirect_uri": "https://evil.example"]), as: "untrusted redirect")
        try await open(shop.address(["client_id": "unknown"]), as: "unknown client")
        try await open(shop.address(["x": String(repeating: "x", count: 9000)]), as: "too long")
        let forged = PageVisitor(sharing: user)
        try await forged.open("/consent?login_challenge=" + challenge)
        try await forged.submit(["csrf_token": "forged", "decision": "approve"])
        pages.append(("forged", forged))
        try await open(Route.authorizationRefusal + "?login_challenge=" + challenge, as: "wrong method")
        server.time.advance(by: AuthorizationRequestRepository.lifespan)
        try await open(
            Route.authorizationContinuation + "?login_challenge=" + challenge,
            as: "expired",
            by: user
        )
        return pages
    }

    @Test func `No page of a request can be framed or cached, whatever its status`() async throws {
        for (name, page) in try await pages() {
            let headers = page.response.headers
            #expect(page.location == nil, "\(name): \(page.summary)")
            #expect(headers["Content-Type"] == "text/html; charset=utf-8", "\(name)")
            #expect(headers["X-Frame-Options"] == "DENY", "\(name)")
            let policy = headers["Content-Security-Policy"]
            #expect(policy?.contains("frame-ancestors 'none'") == true, "\(name)")
            #expect(policy?.contains("default-src 'none'") == true, "\(name)")
            #expect(headers["Referrer-Policy"] == "same-origin", "\(name)")
            #expect(headers["Cache-Control"] == "no-store", "\(name)")
        }
    }

    @Test func `The name of the host in a request has no effect`() async throws {
        let forged: HTTP.Headers = [
            "Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http",
            "Forwarded": "host=evil.example;proto=http", "X-Original-URL": "https://evil.example/",
        ]
        let user = try await server.signedUp()
        try await user.open(shop.address())
        let challenge = try #require(user.field("login_challenge"))
        let url = SelfServiceServer.url
        let addresses = [
            shop.address(), shop.address(["prompt": "none"]), shop.address(["client_id": "unknown"]),
            Route.authorizationContinuation + "?login_challenge=" + challenge,
            "/consent?login_challenge=" + challenge, "/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server",
        ]
        for address in addresses {
            for browser in [user.browser, TestBrowser(server.people)] {
                let answer = await browser.get(url + address, headers: forged)
                #expect(answer.status < 500, "\(address)")
                #expect(!String(decoding: answer.response.body, as: UTF8.self).contains("evil"), "\(address)")
                for field in ["Location", "Set-Cookie", "Content-Security-Policy"] {
                    let values = answer.response.headers.all(field)
                    #expect(!values.contains { $0.contains("evil") }, "\(address)")
                    #expect(!values.contains { $0.contains("http://") }, "\(address)")
                }
            }
        }
    }

    @Test func `Programs that visit the addresses of a request change no row`() async throws {
        let user = try await server.signedUp()
        try await user.open(shop.address(["prompt": "consent"]))
        let challenge = try #require(user.field("login_challenge"))
        let stranger = PageVisitor(server.people)
        try await stranger.open(shop.address())
        #expect(stranger.path == "/login")
        let flow = try #require(
            stranger.text.firstMatch(of: #/action="[^"]*[?]flow=([^"&]*)/#)?.output.1,
            "\(stranger.text)"
        )
        let pushed = await shop.send(shop.parameters, to: Route.pushedRequests)
        let uri = try #require(pushed["request_uri"]?.text)
        let before = try await server.state()
        let query = "?login_challenge=" + challenge
        let addresses = [
            Route.authorizationContinuation + query, "/consent" + query, Route.authorizationRefusal + query,
            "/login?flow=\(flow)",
        ]
        // The address of a request itself is only opened by browsers that follow it.
        let beginnings = [
            shop.address(), Route.authorization + "?client_id=shop&request_uri=" + QueryItems.encode(uri),
        ]
        let looks: [(HTTP.Method, HTTP.Headers)] = [
            (.head, [:]), (.get, ["Sec-Purpose": "prefetch"]), (.get, ["Sec-Purpose": "prefetch;prerender"]),
            (.get, ["User-Agent": "scanner"]),
        ]
        for (method, headers) in looks {
            let isPlain = headers["User-Agent"] != nil
            for address in addresses + (isPlain ? [] : beginnings) {
                let scanner = TestBrowser(server.people)
                let url = SelfServiceServer.url + address
                for browser in isPlain ? [scanner] : [scanner, user.browser] {
                    let answer = await browser.get(url, headers: headers, method: method)
                    #expect(answer.status < 500, "\(method) \(address)")
                    #expect(shop.code(in: answer) == nil, "\(method) \(address)")
                }
            }
            #expect(try await server.state() == before, "\(method) \(headers)")
        }
        // The requests can still be answered.
        try await user.submit(["decision": "approve"])
        _ = try shop.code(of: user)
        try await user.open(beginnings[1])
        #expect(try shop.code(of: user).isEmpty == false)
    }
}
