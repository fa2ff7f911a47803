import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Redaction of recorded exchanges` {
    private static let origin = FakeIdentityServer.origin
    private static let form: HTTP.Headers = [
        "Content-Type": "application/x-www-form-urlencoded; charset=utf-8"
    ]

    private func shown(
        _ request: HTTP.Request,
        answer: HTTP.Response = HTTP.Response(200),
        to origin: String = origin,
        showsBodiesOfOtherOrigins: Bool = false
    ) async throws -> RecordedExchange {
        let server = FakeIdentityServer()
        server.plan("\(request.method.rawValue) \(request.path)", .respond(answer))
        let seen = Locked<[RecordedExchange]>([])
        let recorder = ExchangeRecorder(showsBodiesOfOtherOrigins: showsBodiesOfOtherOrigins) { exchange in
            seen.withLock { $0.append(exchange) }
        }
        let transport = RecordingTransport(server, server: Self.origin, recorder: recorder)

        let passedOn = try await transport.send(request, to: origin)

        #expect(passedOn.body == answer.body)
        #expect(server.requests.first?.body == request.body)
        #expect(server.requests.first?.path == request.path)
        return try #require(seen.withLock { $0.count == 1 ? $0.first : nil })
    }

    private func text(_ body: [UInt8]) -> String {
        String(decoding: body, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":1,"password":"x","b":[2, 3]}"#, #"{"a":1,"password":"‹secret›","b":[2, 3]}"#),
        (#"{ "otp" : "271501" , "z":true}"#, #"{ "otp" : "‹secret›" , "z":true}"#),
        (
            #"{"session_token":"lk","session":{"id":"s"}}"#,
            #"{"session_token":"‹secret›","session":{"id":"s"}}"#
        ),
        (#"{"password":{"deep":["x","}"]},"b":1}"#, #"{"password":"‹secret›","b":1}"#),
        (#"{"code":271501}"#, #"{"code":"‹secret›"}"#),
        (#"{"error":{"code":400},"statusCode":503}"#, #"{"error":{"code":400},"statusCode":503}"#),
        (#"{"cvc":123,"pin":404}"#, #"{"cvc":"‹secret›","pin":"‹secret›"}"#),
        (#"{"pass\u0077ord":"x"}"#, #"{"pass\u0077ord":"‹secret›"}"#),
        (#"{"PassWord":"a\"b\\"}"#, #"{"PassWord":"‹secret›"}"#),
        (
            #"{"value":"password","text":"say \"password\": x"}"#,
            #"{"value":"password","text":"say \"password\": x"}"#
        ),
        (#"{"password":null,"token":"","has_pin":true}"#, #"{"password":null,"token":"","has_pin":true}"#),
        (#"["password",":",{"token":[1]}]"#, #"["password",":",{"token":"‹secret›"}]"#),
        (
            #"{"attributes":{"name":"csrf_token","type":"hidden","value":"x"}}"#,
            #"{"attributes":{"name":"csrf_token","type":"hidden","value":"‹secret›"}}"#
        ),
        (
            #"[{"value":{"a":["x"]},"name":"totp_code"},{"name":"method","value":"code"}]"#,
            #"[{"value":"‹secret›","name":"totp_code"},{"name":"method","value":"code"}]"#
        ),
        (
            #"{"to":"https://app.example/cb?code=x&a=b#id_token=y","ui":{"action":"/login?flow=f"}}"#,
            #"{"to":"https://app.example/cb?code=‹secret›&a=b#id_token=‹secret›","ui":{"action":"/login?flow=f"}}"#
        ),
        (
            #"{"to":"https:\/\/app.example\/cb?a=b\u0026code=x"}"#,
            #"{"to":"https://app.example/cb?a=b&code=‹secret›"}"#
        ),
        (
            #"{"text":"Open https://app.example/cb?token=x now"}"#,
            #"{"text":"Open https://app.example/cb?token=‹secret› now"}"#
        ),
        ("password=x", "‹10 bytes›"), (#""a-token-as-it-is""#, "‹18 bytes›"), ("123456", "‹6 bytes›"),
        ("", ""),
        (#"{"a":"#, "‹5 bytes›"),
    ])
    func `Secrets in JSON are redacted and the rest is recorded unchanged`(_ body: String, _ shown: String)
        async throws
    {
        let bytes = Array(body.utf8)

        let exchange = try await self.shown(
            HTTP.Request(.post, "/x", body: bytes),
            answer: HTTP.Response(200, body: bytes)
        )

        #expect(text(exchange.request.body) == shown)
        #expect(text(try exchange.outcome.get().body) == shown)
    }

    static let secretNames = [
        "password", "passcode", "newPassword", "current_password", "user[password]", "traits.password",
        "PASSWD", "pwd",
        "token", "accessToken", "access_token", "refreshToken", "X-Auth-Token", "csrf_token", "subject_token",
        "actor-token", "device_token", "idToken", "id_token_hint", "tokens", "secret", "client_secret",
        "lookup_secret",
        "code", "totp_code", "otp", "totp", "device_code", "user_code", "session_token_exchange_code",
        "recovery_codes",
        "pin", "cardPIN", "cvc", "cvv", "card_cvc", "cardNumber", "key", "apiKey", "api_key", "private-key",
        "assertion",
        "client_assertion", "code_verifier", "passphrase", "credentials", "Authorization", "cookie",
        "signature",
        "SAMLResponse", "jwt", "iban", "nonce", "request_uri",
    ]

    static let shownNames = [
        "id", "flow", "name", "method", "status", "state_of_mind", "token_type", "expires_in", "grant_type",
        "phoneType",
        "flowType", "schema_id", "csr", "certificate", "passwordless", "pinned", "codec", "keyboard",
        "tokenizer", "first",
        "code_challenge_method", "serialNumber", "notAfter", "issued_at",
    ]

    @Test(arguments: secretNames)
    func `Values with sensitive names are redacted in JSON, forms, queries and paths`(_ name: String)
        async throws
    {
        let exchange = try await shown(
            HTTP.Request(
                .post,
                "/x/\(name)/hidden",
                query: "a=1&\(name)=hidden",
                body: Array(#"{"\#(name)":"hidden"}"#.utf8)
            ),
            answer: HTTP.Response(302, headers: ["Location": "app://cb?a=1&\(name)=hidden#\(name)=hidden"])
        )
        let form = try await shown(
            HTTP.Request(.post, "/x", headers: Self.form, body: Array("a=1&\(name)=hidden".utf8))
        )

        #expect(exchange.request.path == "/x/\(name)/‹secret›")
        #expect(exchange.request.query == "a=1&\(name)=‹secret›")
        #expect(text(exchange.request.body) == #"{"\#(name)":"‹secret›"}"#)
        #expect(
            try exchange.outcome.get().headers["Location"] == "app://cb?a=1&\(name)=‹secret›#\(name)=‹secret›"
        )
        #expect(text(form.request.body) == "a=1&\(name)=‹secret›")
    }

    @Test(arguments: shownNames)
    func `A value is not masked if its name is harmless`(_ name: String) async throws {
        let exchange = try await shown(
            HTTP.Request(
                .post,
                "/x/\(name)/plain",
                query: "\(name)=plain",
                body: Array(#"{"\#(name)":"plain"}"#.utf8)
            )
        )

        #expect(exchange.request.path == "/x/\(name)/plain")
        #expect(exchange.request.query == "\(name)=plain")
        #expect(text(exchange.request.body) == #"{"\#(name)":"plain"}"#)
    }

    @Test(arguments: [
        ("flow=f&c%6Fde=1", "flow=f&c%6Fde=‹secret›"), ("state=x&nothing", "state=‹secret›&nothing"),
        ("return_to=https%3A%2F%2Fa.example%2F%3Fcode%3Dx", "return_to=https://a.example/?code=‹secret›"),
        ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0", "‹secret›"), ("a=b=c&=d", "a=b=c&=d"), ("", ""),
        ("id=9a8cbfb3-87bd-4087-b48d-2569b1b43386", "id=9a8cbfb3-87bd-4087-b48d-2569b1b43386"),
    ])
    func `Secrets in queries are redacted`(_ query: String, _ shown: String) async throws {
        #expect(try await self.shown(HTTP.Request(.get, "/x", query: query)).request.query == shown)
    }

    @Test(arguments: [
        ("/reset/eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0", "/reset/‹secret›"),
        (
            "/identities/9a8cbfb3-87bd-4087-b48d-2569b1b43386/me",
            "/identities/9a8cbfb3-87bd-4087-b48d-2569b1b43386/me"
        ),
        ("/magic/c2VjcmV0IGluIGEgcGF0aA%3D%3D", "/magic/‹secret›"), ("/oauth2/token", "/oauth2/token"),
        ("/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server"),
        ("/magic/c2VjcmV0IGluIGEgcGF0aA==", "/magic/‹secret›"), ("/x;token=y/z", "/x;token=‹secret›/z"),
        ("/users/ada%40example.org", "/users/‹email›"), ("/", "/"),
        ("/identity/verification/flow/phone", "/identity/verification/flow/phone"),
    ])
    func `Secrets in paths are redacted`(_ path: String, _ shown: String) async throws {
        #expect(try await self.shown(HTTP.Request(.get, path)).request.path == shown)
    }

    @Test(arguments: [
        (
            #"{"phone":"+439999999999","e-mail":"ada@example.org"}"#,
            #"{"phone":"‹phone›","e-mail":"‹email›"}"#
        ),
        (#"{"identifier":"+439999999999"}"#, #"{"identifier":"‹phone›"}"#),
        (
            #"{"phoneNumber":4399999999,"phone_type":"PRIMARY"}"#,
            #"{"phoneNumber":"‹phone›","phone_type":"PRIMARY"}"#
        ),
        (
            #"{"text":"A code went to +43 (999) 999-9999 and to <ada.l@mail.example.org>.","at":"08:00+01:00"}"#,
            #"{"text":"A code went to ‹phone› and to <‹email›>.","at":"08:00+01:00"}"#
        ),
        (#"["ada@example.org","a@b","+12","1+1=2"]"#, #"["‹email›","a@b","+12","1+1=2"]"#),
        (#"{"to":"ada\u0040example.org"}"#, #"{"to":"‹email›"}"#),
    ])
    func `Phone numbers and email addresses are redacted`(_ body: String, _ shown: String) async throws {
        let exchange = try await self.shown(HTTP.Request(.post, "/x", body: Array(body.utf8)))

        #expect(text(exchange.request.body) == shown)
    }

    @Test(arguments: [
        "identifier=%2B439999999999", "identifier=+439999999999", "x=ada%40example.org", "phone=439999999999",
        "ada@example.org",
    ])
    func `Phone numbers and email addresses in queries are redacted`(_ query: String) async throws {
        let shown = try await shown(HTTP.Request(.get, "/x", query: query)).request.query ?? ""

        #expect(!shown.contains("9999") && !shown.contains("example.org") && shown.contains("‹"))
    }

    @Test func `Only harmless header fields are recorded`() async throws {
        let headers: HTTP.Headers = [
            "X-Session-Token": "t", "authorization": "Bearer t", "Accept": "a", "Cookie": "c", "DPoP": "p",
            "X-Api-Key": "k", "X-Forwarded-User": "u", "content-type": "text/plain",
        ]

        let exchange = try await shown(
            HTTP.Request(.get, "/x", headers: headers),
            answer: HTTP.Response(
                200,
                headers: ["Set-Cookie": "c", "ETag": "e", "DPoP-Nonce": "n", "X-New": "s"]
            )
        )

        #expect(
            exchange.request.headers.fields.map(\.value)
                == [
                    "‹secret›", "‹secret›", "a", "‹secret›", "‹secret›", "‹secret›", "‹secret›", "text/plain",
                ]
        )
        #expect(
            try exchange.outcome.get().headers.fields.map(\.value) == [
                "‹secret›", "e", "‹secret›", "‹secret›",
            ]
        )
    }

    @Test func `User names in URLs are redacted`() async throws {
        let answer = HTTP.Response(302, headers: ["Location": "https://ada:hidden@a.example/b"])

        let exchange = try await shown(HTTP.Request(.get, "/x"), answer: answer)

        #expect(try exchange.outcome.get().headers["Location"] == "https://‹secret›@a.example/b")
    }

    @Test func `Bodies exchanged with the app's own servers are only recorded if the options allow it`()
        async throws
    {
        let request = HTTP.Request(.post, "/x", body: Array(#"{"a":1,"token":"x"}"#.utf8))
        let answer = HTTP.Response(200, body: Array(#"{"b":2}"#.utf8))

        let hidden = try await shown(request, answer: answer, to: "https://api.example.com")
        #expect(text(hidden.request.body) == "‹19 bytes›")
        #expect(text(try hidden.outcome.get().body) == "‹7 bytes›")

        let wanted = try await shown(
            request,
            answer: answer,
            to: "https://api.example.com",
            showsBodiesOfOtherOrigins: true
        )
        #expect(text(wanted.request.body) == #"{"a":1,"token":"‹secret›"}"#)
        #expect(text(try wanted.outcome.get().body) == #"{"b":2}"#)
    }

    /// Generates random JSON in which members named like secrets contain no strings other than `hidden`.
    private static func nested(_ random: SeededRandom, depth: Int, isHidden: Bool) -> String {
        func pick(_ count: Int) -> Int { Int(random.bytes(1)[0]) % count }
        let text = isHidden ? "hidden" : "plain"
        switch depth == 0 ? 0 : pick(4) {
        case 0:
            return [#""\#(text)""#, #""{\"\#(text)\\""#, "null", "-1.5e3", #""""#, "true"][
                pick(isHidden ? 6 : 5)
            ]
        case 1:
            let values = (0..<pick(4)).map { _ in nested(random, depth: depth - 1, isHidden: isHidden) }
            return "[ \(values.joined(separator: " ,"))]"
        default:
            let names = ["name", "value"] + secretNames + shownNames
            let members = (0..<pick(4)).map { _ in
                let name = names[pick(names.count)]
                let value = nested(random, depth: depth - 1, isHidden: isHidden || secretNames.contains(name))
                return #""\#(name)" : \#(value)"#
            }
            return "{\(members.joined(separator: ",\n"))}"
        }
    }

    @Test func `Redacting deeply nested JSON produces valid JSON`() async throws {
        let random = SeededRandom()
        var count = 0
        for _ in 1...300 {
            let body = Array("[\(Self.nested(random, depth: 6, isHidden: false))]".utf8)
            let shown = try await shown(HTTP.Request(.post, "/x", body: body)).request.body
            _ = try JSONCoding.decode(JSONValue.self, from: body)
            #expect(throws: Never.self) { try JSONCoding.decode(JSONValue.self, from: shown) }
            #expect(!text(shown).contains("hidden"), "\(text(body))")
            if text(body).contains("hidden") { count += 1 }
        }
        #expect(count > 50)
    }

    /// JSON in UTF-16, with and without a byte order mark.
    static let otherEncodings: [[UInt8]] = {
        let units: [UInt16] = Array(#"{"password":"x"}"#.utf16)
        let bytes: [UInt8] = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return [bytes, [0xFF, 0xFE] + bytes]
    }()

    @Test(arguments: otherEncodings)
    func `Bodies that aren't in UTF-8 are omitted`(_ body: [UInt8]) async throws {
        let exchange = try await shown(HTTP.Request(.post, "/x", body: body))

        #expect(text(exchange.request.body) == "‹\(body.count) bytes›")
    }

    @Test func `Text that is percent-encoded many times is redacted`() async throws {
        var nested = "token=x"
        for _ in 1...12 { nested = "/a?u=" + QueryItems.encode(nested) }

        let exchange = try await shown(HTTP.Request(.get, "/x", query: "u=" + QueryItems.encode(nested)))

        #expect(exchange.request.query?.contains("‹secret›") == true)
        #expect(exchange.request.query?.contains("token") == false)
    }

    @Test func `Requests that fail without a response are recorded`() async throws {
        let server = FakeIdentityServer()
        server.plan("GET /x", .fail(.timedOut))
        let seen = Locked<[RecordedExchange]>([])
        let recorder = ExchangeRecorder { exchange in seen.withLock { $0.append(exchange) } }
        let transport = RecordingTransport(server, server: Self.origin, recorder: recorder)

        _ = try? await transport.send(HTTP.Request(.get, "/x"), to: Self.origin)

        guard case .failure(let error) = seen.withLock({ $0.first?.outcome }) else {
            Issue.record("No exchange was reported.")
            return
        }
        #expect(error.code == .timedOut)
    }
}
