import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServerKit

/// The pure decisions about a browser's request, one row each.
@Suite struct `Requests of browsers` {
    @Test(
        arguments: [
            (nil, .page), ("*/*", .page), ("", .page), ("text/html", .page), ("application/json", .json),
            ("application/json, text/plain, */*", .json), ("text/html,application/json", .page),
            ("application/json,text/html", .page), ("application/json, text/html;q=0.9", .json),
            ("application/json;q=0.8, text/html;q=0.9", .page), ("application/json;q=0", .page),
            ("application/json;q=0.001", .json), ("application/json;q=x", .page),
            ("application/json;q=1.000", .json), ("application/json;q=0.9999", .page),
            ("application/json;q=2", .page), ("application/json;q=2.5", .page), ("APPLICATION/JSON", .json),
            ("application/jsonp", .page),
            ("application/*", .page), ("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", .page),
            ("application/json ; q=0.5", .json), ("application/json;q=00.5", .page),
            ("application/json;q=+1", .page), ("application/json;q=.5", .page),
            ("application/json;q=1.", .json), ("application/json;q=1.001", .page),
            ("application/json;q= 1", .page), ("application/ json", .page), ("application/json;q=", .page),
            ("application/json;Q=0.5,text/html;q=0.4", .json), ("application/json;v=1;q=0", .page),
            ("application/json;q=0\u{661}", .page), ("application/json\u{37E}q=0.5", .page),
            ("application/json,text/html\u{37E}q=0.5", .json),
        ] as [(String?, ResponseFormat)]
    )
    func `Accept decides about pages and JSON`(accept: String?, format: ResponseFormat) {
        var request = HTTP.Request(.get, "/")
        request.headers["Accept"] = accept
        #expect(ResponseFormat(request) == format)
    }

    @Test func `Several Accept fields are one list`() {
        var request = HTTP.Request(.get, "/", headers: ["Accept": "application/json;q=0.5"])
        request.headers.fields.append(.init(name: "Accept", value: "text/html"))
        #expect(ResponseFormat(request) == .page)
    }

    @Test(
        arguments: [
            ("application/json", "text/html", .json), ("application/json; charset=utf-8", nil, .json),
            ("application/x-www-form-urlencoded", "application/json", .json),
            ("application/x-www-form-urlencoded", "text/html", .page),
            ("application/x-www-form-urlencoded", nil, .page), ("text/plain", nil, .page),
        ] as [(String, String?, ResponseFormat)]
    )
    func `A JSON body is answered with JSON`(type: String, accept: String?, format: ResponseFormat) {
        var request = HTTP.Request(.post, "/", headers: ["Content-Type": type])
        request.headers["Accept"] = accept
        #expect(ResponseFormat(request) == format)
    }

    @Test(
        arguments: [
            (nil, nil, true), (nil, "none", true), (nil, "same-origin", true), (nil, "same-site", true),
            (nil, "cross-site", false), (nil, "Cross-Site", false), ("https://id.example.com", nil, true),
            ("https://id.example.com", "cross-site", false), ("https://id.example.com:443", nil, false),
            ("https://ID.example.com", nil, false), ("http://id.example.com", nil, false),
            ("https://login.example.com", "same-site", true), ("https://login.example.com/start", nil, false),
            ("https://evil.example", nil, false), ("https://id.example.com.evil.example", nil, false),
            ("null", nil, false), ("null", "same-origin", true), ("null", "same-site", false),
            ("null", "none", false), ("", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func `Only our own pages may send forms`(origin: String?, site: String?, isAccepted: Bool) {
        let origins = TrustedOrigins(["https://id.example.com/base", "https://login.example.com/start"])
        var request = HTTP.Request(.post, "/")
        request.headers["Origin"] = origin
        request.headers["Sec-Fetch-Site"] = site
        #expect(origins.accept(request) == isAccepted)
    }

    // MARK: Secrets

    @Test func `A form's token is masked anew each time and belongs to its secret`() {
        let random = SeededRandom(seed: 3)
        let (secret, other) = (CSRFSecret(random: random), CSRFSecret(random: random))
        let tokens = (0..<20).map { _ in secret.token(random: random) }
        #expect(Set(tokens).count == 20)
        for token in tokens {
            #expect(secret.accepts(token))
            #expect(!other.accepts(token))
            #expect(!token.contains(secret.value.exposed))
        }
        let token = tokens[0]
        let bytes = Base64URL.decode(token) ?? []
        for forged in [
            Base64URL.encode(bytes.prefix(32) + [0] + bytes.suffix(32)),
            "", "x", secret.value.exposed, secret.value.exposed + secret.value.exposed, token + "A",
            token + "=",
            String(token.dropFirst()), String(token.reversed()),
        ] {
            #expect(!secret.accepts(forged))
        }
    }

    @Test func `A cookie contains a secret of 32 bytes or is ignored`() {
        let secret = CSRFSecret(random: SeededRandom(seed: 4))
        #expect(CSRFSecret(secret.value.exposed) == secret)
        for value in ["", "x", String(secret.value.exposed.dropLast()), secret.value.exposed + "AA"] {
            #expect(CSRFSecret(value) == nil)
        }
        let cookies = BrowserCookies(url: "https://id.example.com")
        func found(_ field: String) -> [CSRFSecret] {
            cookies.csrfCookies(of: HTTP.Request(.get, "/", headers: ["Cookie": field])).map(\.secret)
        }
        let pair = "__Host-csrf_token=" + secret.value.exposed
        #expect(found("a=b; \(pair)") == [secret])
        #expect(found("\(pair); __Host-csrf_token=x") == [secret])
        #expect(found("__Host-csrf_token=x; \(pair)") == [secret])
        #expect(found("csrf_token=" + secret.value.exposed) == [])
        #expect(found(String(repeating: "\(pair); ", count: 9)).count == 4)
    }

    @Test(
        arguments: [(0, true), (1, true), (3599, true), (3600, false), (-3599, true), (-3600, false)]
            as [(Int64, Bool)]
    )
    func `A cookie keeps the previous secret for an hour, also if the clocks of servers differ`(
        age: Int64,
        isKept: Bool
    ) {
        let random = SeededRandom(seed: 5)
        let (secret, previous) = (CSRFSecret(random: random), CSRFSecret(random: random))
        let then = Timestamp(seconds: 1_800_000_000)
        let cookie = CSRFCookie(secret, replacing: previous, at: then)
        let read = CSRFCookie(cookie.value.exposed)
        #expect(read == cookie)
        #expect(read?.secret == secret)
        let now = then + .seconds(age)
        #expect(read?.previous(at: now) == (isKept ? previous : nil))
        let state = BrowserState(known: [cookie], links: [], random: random, at: now)
        #expect(state.hasSecret { $0 == secret })
        #expect(!state.hasSecret { $0 == previous })
        #expect(state.hadSecret { $0 == previous } == isKept)
        #expect(!state.hadSecret { $0 == secret })
    }

    @Test func `A cookie's time can have eleven digits`() {
        let random = SeededRandom(seed: 8)
        let (secret, previous) = (CSRFSecret(random: random), CSRFSecret(random: random))
        let cookie = CSRFCookie(secret, replacing: previous, at: Timestamp(seconds: 99_999_999_999))
        #expect(CSRFCookie(cookie.value.exposed) == cookie)
    }

    @Test(arguments: [
        "", ".", "..", ".x.1800000000", ".PREVIOUS", ".PREVIOUS.", ".PREVIOUS.x", ".PREVIOUS.-1",
        ".PREVIOUS.+1",
        ".PREVIOUS.180000000000", ".PREVIOUS.99999999999999999999", ".PREVIOUS.1800000000.x", ".PREVIOUS. 1",
    ])
    func `A malformed previous secret in a cookie is ignored, and the current one counts`(rest: String) {
        let random = SeededRandom(seed: 6)
        let (secret, previous) = (CSRFSecret(random: random), CSRFSecret(random: random))
        let tail = rest.replacing("PREVIOUS", with: previous.value.exposed)
        let cookie = CSRFCookie(secret.value.exposed + tail)
        #expect(cookie == CSRFCookie(secret))
        #expect(cookie?.previous(at: Timestamp(seconds: 1_800_000_000)) == nil)
        #expect(CSRFCookie("x." + previous.value.exposed + ".1800000000") == nil)
    }

    @Test func `A login replaces the first cookie's secret, and only a browser that had one keeps it`() {
        let random = SeededRandom(seed: 7)
        let now = Timestamp(seconds: 1_800_000_000)
        let known = (0..<3).map { _ in CSRFCookie(CSRFSecret(random: random)) }
        let state = BrowserState(known: known, links: [], random: random, at: now)
        let renewed = state.renewed(at: now)
        #expect(renewed.secret == state.next)
        #expect(renewed.previous(at: now) == known[0].secret)
        // The secret before the previous one is forgotten.
        let later = BrowserState(known: [renewed], links: [], random: random, at: now)
        #expect(later.renewed(at: now).previous(at: now) == state.next)
        let new = BrowserState(known: [], links: [], random: random, at: now)
        #expect(new.renewed(at: now) == CSRFCookie(new.next))
    }

    // MARK: Cookies

    @Test(arguments: [
        "t=1\u{37E}latchkey_session=x", "t=1;\u{301}latchkey_session=x", "latchkey_session\u{301}=x",
        "latchkey_session=\u{301}", "t=1,latchkey_session=x", "latchkey_session", "=latchkey_session",
        "LATCHKEY_SESSION=x", "latchkey_session =x", "latchkey_session=x; latchkey_session=x",
    ])
    func `Nothing but a cookie of its own counts as the session cookie`(field: String) {
        let value = HTTP.Request(.get, "/", headers: ["Cookie": field]).cookie("latchkey_session")
        #expect(value == nil || value == "\u{301}")
    }

    @Test(arguments: ["a=b; latchkey_session=x", "latchkey_session=x", "a=\u{37E};latchkey_session=x;b"])
    func `A cookie is found among others`(field: String) {
        #expect(HTTP.Request(.get, "/", headers: ["Cookie": field]).cookie("latchkey_session") == "x")
    }

    @Test(
        arguments: [
            ("https://id.example.com", nil, "__Host-latchkey_session", true),
            ("HTTPS://id.example.com", nil, "__Host-latchkey_session", true),
            ("http://localhost:4433", nil, "latchkey_session", false),
            ("https://id.example.com", "example.com", "ory_kratos_session", false),
        ] as [(String, String?, String, Bool)]
    )
    func `The names of cookies depend on the URL and the domain`(
        url: String,
        domain: String?,
        session: String,
        isHostOnly: Bool
    ) {
        var settings = CookieSettings()
        settings.domain = domain
        let cookies = settings.cookies(url: url)
        #expect(cookies.session == session)
        #expect((cookies.csrf == "__Host-csrf_token") == isHostOnly)
        #expect(isHostOnly || cookies.csrf.wholeMatch(of: /csrf_token_[0-9a-f]{64}/) != nil)
        let field = cookies.field("name", .kept("value", for: .seconds(90)))
        #expect(field.hasPrefix("name=value; Path=/"))
        #expect(field.contains("; Max-Age=90; HttpOnly; SameSite=Lax"))
        #expect(field.contains("; Domain=example.com") == (domain != nil))
        #expect(field.hasSuffix("; Secure") == !url.hasPrefix("http:"))
        #expect(!cookies.field(cookies.link, .kept("value", for: nil)).contains("Domain"))
        #expect(cookies.field("name", .deleted).contains("name=; Path=/"))
        #expect(cookies.field("name", .deleted).contains("Max-Age=0"))
        #expect(!cookies.field("name", .kept("value", for: nil)).contains("Max-Age"))
        #expect(cookies.field("name", .kept("value", for: .seconds(-5))).contains("Max-Age=0"))
    }

    @Test(
        arguments: [
            ("ory_kratos_session", nil, "https://id.example.com", []),
            ("ory_kratos_session", "example.com", "https://id.example.com", []),
            ("my-session", "id.example.com", "https://id.example.com", []),
            ("x", "other.example", "https://id.example.com", ["cookies.domain"]),
            ("x", "ample.com", "https://id.example.com", ["cookies.domain"]),
            ("x", ".example.com", "https://id.example.com", ["cookies.domain"]),
            ("x", "example.com", nil, ["cookies.domain"]),
            ("a b", nil, nil, ["cookies.name"]), ("a;b", nil, nil, ["cookies.name"]),
            ("__Host-x", nil, nil, ["cookies.name"]), ("__secure-x", nil, nil, ["cookies.name"]),
            ("", nil, nil, ["cookies.name"]),
        ] as [(String, String?, String?, [String])]
    )
    func `Names and domains that browsers would ignore are contradictions`(
        name: String,
        domain: String?,
        url: String?,
        keys: [String]
    ) {
        var settings = CookieSettings()
        settings.name = name
        settings.domain = domain
        #expect(settings.contradictions(withURL: url).map(\.key) == keys)
    }
}
