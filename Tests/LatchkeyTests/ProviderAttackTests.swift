import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import Latchkey
@testable import LatchkeyCore

/// A provider, or an attacker who responds in its place, can send anything.
@Suite struct `Answers of a hostile provider` {
    typealias Plan = HostileProvider.Plan
    typealias Code = LatchkeyError.Code

    /// A change of the provider, and the error of the login.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Code?
        let change: @Sendable (inout Plan) -> Void

        init(_ name: String, _ code: Code?, _ change: @escaping @Sendable (inout Plan) -> Void) {
            (testDescription, self.code, self.change) = (name, code, change)
        }

        init(_ name: String, _ code: Code?, metadata: [String: JSONValue?]) {
            self.init(name, code) { $0.metadata = metadata }
        }

        init(_ name: String, _ code: Code?, claims: [String: JSONValue?]) {
            self.init(name, code) { $0.claims = claims }
        }

        init(_ name: String, _ code: Code?, answering path: String, _ response: HTTP.Response) {
            self.init(name, code) { $0.answers[path] = { _ in response } }
        }
    }

    private static let html = HTTP.Response(
        200,
        headers: ["Content-Type": "text/html"],
        body: Array("<html>Welcome to the airport</html>".utf8)
    )
    private static let large = HTTP.Response(
        200,
        headers: ["Content-Type": "application/json"],
        body: Array("{\"a\":\"".utf8) + [UInt8](repeating: 0x61, count: 65_537) + Array("\"}".utf8)
    )

    /// Logs in, and returns the error.
    private func logIn(at provider: HostileProvider, with options: AuthorizationOptions = .init())
        async throws
        -> (client: LatchkeyClient, error: LatchkeyError?)
    {
        let client = try provider.client()
        let error = await failure { try await client.signIn(in: provider, options: options) }
        #expect((client.sessionState.session != nil) == (error == nil))
        return (client, error)
    }

    @Test func `Without a change, the user is logged in`() async throws {
        let provider = HostileProvider()
        let (client, error) = try await logIn(at: provider)
        #expect(error == nil && client.sessionState.session?.identity.id == HostileProvider.subject)
        #expect(provider.keys.living.count == 1)
    }

    // MARK: Metadata

    private static let discovery = "/.well-known/openid-configuration"

    private static let metadata: [Row] = [
        Row("another issuer", .invalidResponse, metadata: ["issuer": "https://evil.example"]),
        Row("the issuer with a slash", .invalidResponse, metadata: ["issuer": "https://op.example.com/"]),
        Row("no issuer", .invalidResponse, metadata: ["issuer": nil]),
        Row("no token endpoint", .invalidResponse, metadata: ["token_endpoint": nil]),
        Row("no keys", .invalidResponse, metadata: ["jwks_uri": nil]),
        Row("no S256", .invalidResponse, metadata: ["code_challenge_methods_supported": ["plain"]]),
        Row("an empty list of methods", .invalidResponse, metadata: ["code_challenge_methods_supported": []]),
        Row("html", .invalidResponse, answering: discovery, html),
        Row("more than 64 KiB", .invalidResponse, answering: discovery, large),
        Row("an array", .invalidResponse, answering: discovery, json("[]")),
        Row("no JSON", .invalidResponse, answering: discovery, json("{")),
        Row("nested too deeply", .invalidResponse, answering: discovery, json(nested)),
        Row(
            "a redirect",
            .invalidResponse,
            answering: discovery,
            HTTP.Response(302, headers: ["Location": "https://evil.example/.well-known/openid-configuration"])
        ),
        Row("a failure", .serverFailed, answering: discovery, HTTP.Response(500)),
    ]

    private static let nested =
        String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)

    private static func json(_ text: String) -> HTTP.Response {
        HTTP.Response(200, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    @Test(arguments: metadata)
    func `Metadata that can't be trusted end the login before the browser opens`(row: Row) async throws {
        var plan = Plan()
        row.change(&plan)
        let provider = HostileProvider(plan)

        let (_, error) = try await logIn(at: provider)

        #expect(error?.code == row.code, "\(String(describing: error))")
        #expect(provider.opened.isEmpty && provider.requests("/token").isEmpty)
        #expect(provider.keys.living.isEmpty)
    }

    @Test(
        arguments: [
            "authorization_endpoint", "token_endpoint", "jwks_uri", "pushed_authorization_request_endpoint",
            "revocation_endpoint", "userinfo_endpoint",
        ],
        [
            "http://op.example.com/x", "https://user@op.example.com/x",
            "https://op.example.com@evil.example/x", "javascript:alert(1)", "file:///etc/passwd",
            "com.example.other:/x", "https://op.example.com/x#fragment", "https://op.example.com/x y",
            "https://op.example.com/x\n", "//op.example.com/x", "/x", "https://", "",
        ]
    )
    func `Endpoints that aren't https URLs end the login before the browser opens`(
        member: String,
        address: String
    ) async throws {
        let provider = HostileProvider(Plan(metadata: [member: .string(address)]))

        let (_, error) = try await logIn(at: provider)

        #expect(error?.code == .invalidResponse)
        #expect(provider.opened.isEmpty)
    }

    @Test func `The query of an endpoint is sent before the parameters of the request`() async throws {
        let endpoint = HostileProvider.issuer + "/authorize?tenant=1&client_id=evil"
        let provider = HostileProvider(Plan(metadata: ["authorization_endpoint": .string(endpoint)]))

        let (_, error) = try await logIn(at: provider)

        #expect(error == nil)
        #expect(provider.opened[0].hasPrefix(endpoint + "&response_type=code&client_id=shop-app&"))
    }

    @Test(arguments: [
        "urn:x&redirect_uri=https%3A%2F%2Fevil.example", "urn:x#fragment", "urn:x\r\nLocation: evil",
        "%26a=b",
        "\u{E9}",
    ])
    func `A request URI can't add parameters to the address of the page`(uri: String) async throws {
        let endpoint = HostileProvider.issuer + "/par"
        let provider = HostileProvider(
            Plan(
                metadata: ["pushed_authorization_request_endpoint": .string(endpoint)],
                answers: [
                    "/par": { _ in
                        HostileProvider.json(["request_uri": .string(uri), "expires_in": .integer(60)], [:])
                    }
                ]
            )
        )

        _ = try await logIn(at: provider)

        let address = try #require(provider.opened.first)
        let items = QueryItems(String(address.split(separator: "?")[1]))
        #expect(items.names == ["client_id", "request_uri"] && items["request_uri"] == uri)
        #expect(address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    }

    // MARK: ID tokens

    private static let tokens: [Row] = [
        Row("of another client", .untrusted, claims: ["aud": "other"]),
        Row("of several clients without azp", .untrusted, claims: ["aud": ["shop-app", "other"]]),
        Row("of several clients with azp", nil, claims: ["aud": ["shop-app", "other"], "azp": "shop-app"]),
        Row("with another azp", .untrusted, claims: ["azp": "other"]),
        Row("with a null azp", .untrusted, claims: ["azp": .some(.null)]),
        Row("of another issuer", .untrusted, claims: ["iss": "https://evil.example"]),
        Row("without a nonce", .untrusted, claims: ["nonce": nil]),
        Row("with another nonce", .untrusted, claims: ["nonce": "x"]),
        Row("without a subject", .untrusted, claims: ["sub": nil]),
        Row("that has expired", .untrusted, claims: ["exp": .integer(1_799_999_940)]),
        Row("that has just not expired", nil, claims: ["exp": .integer(1_799_999_941)]),
        Row("issued in the future", .untrusted, claims: ["iat": .integer(1_800_000_061)]),
        Row("issued at the edge of the tolerance", nil, claims: ["iat": .integer(1_800_000_060)]),
        Row("with a wrong at_hash", .untrusted, claims: ["at_hash": "x"]),
        Row("with a null at_hash", .untrusted, claims: ["at_hash": .some(.null)]),
        Row("without a signature", .untrusted) {
            $0.header = ["alg": "none"]
            $0.sign = { _ in [] }
        },
        Row("with the algorithm none and a signature", .untrusted) { $0.header = ["alg": "none"] },
        Row("with an unknown algorithm", .untrusted) { $0.header = ["alg": "es256", "kid": "1"] },
        Row("of an RSA key without one", .untrusted) { $0.header = ["alg": "RS256", "kid": "1"] },
        Row("with an extension", .untrusted) {
            $0.header = ["alg": "ES256", "kid": "1", "crit": ["b64"], "b64": .bool(false)]
        },
        Row("with a key in its header", .untrusted) {
            guard let key = try? SigningKey.generate(),
                let jwk = try? JSONCoding.decode(JSONValue.self, from: Array(key.publicKey.jwk.utf8))
            else { return }
            $0.header = ["alg": "ES256", "kid": "1", "jwk": jwk]
            $0.sign = { try key.rawSignature(for: $0) }
        },
        Row("of another key", .untrusted) {
            $0.sign = { try SigningKey.generate().rawSignature(for: $0) }
        },
        Row("of an unknown key", .untrusted) { $0.header = ["alg": "ES256", "kid": "2"] },
        Row("with a signature of zeros", .untrusted) { $0.sign = { _ in [UInt8](repeating: 0, count: 64) } },
        Row("missing", .untrusted) { $0.tokens = ["id_token": nil] },
        Row("empty", .untrusted) { $0.tokens = ["id_token": ""] },
        Row("too large", .invalidResponse) {
            $0.claims = ["x": .string(String(repeating: "x", count: 66_000))]
        },
    ]

    @Test(arguments: tokens)
    func `ID tokens that can't be trusted leave no session and no token behind`(row: Row) async throws {
        var plan = Plan()
        row.change(&plan)
        let provider = HostileProvider(plan)

        let (client, error) = try await logIn(at: provider)

        #expect(error?.code == row.code, "\(String(describing: error))")
        guard row.code == .untrusted else { return }
        #expect(await client.engine.revocations?.settle() == true)
        let revoked = provider.requests("/revoke").map { QueryItems(encoded: $0.body)["token"] }
        #expect(revoked == ["refresh"])
        #expect(provider.keys.living.isEmpty)
    }

    @Test func `A token that is signed with the public key as a shared secret is rejected`() async throws {
        let provider = HostileProvider()
        let secrets = [
            provider.key.publicKey.der, Array(provider.key.publicKey.jwk.utf8), provider.key.publicKey.point,
        ]
        for secret in secrets {
            provider.change { plan in
                plan.header = ["alg": "HS256", "kid": "1"]
                plan.sign = { HMACKey(bytes: secret).authenticate($0) }
                plan.keys = [
                    provider.jwk,
                    ["kty": "oct", "kid": "1", "alg": "HS256", "k": .string(Base64URL.encode(secret))],
                ]
            }
            #expect(try await logIn(at: provider).error?.code == .untrusted)
        }
    }

    @Test(arguments: [nil, 0, 60, 3600])
    func `A login is only as old as the app allows`(maxAge: Int?) async throws {
        let now = 1_800_000_000
        for (age, isValid) in [(59, true), (60, false), (nil, maxAge == nil)] as [(Int?, Bool)] {
            let provider = HostileProvider(
                Plan(claims: ["auth_time": age.map { .integer(Int64(now - (maxAge ?? 0) - $0)) }])
            )
            let (_, error) = try await logIn(at: provider, with: AuthorizationOptions(maxAge: maxAge))
            #expect((error == nil) == (isValid || maxAge == nil), "\(String(describing: age))")
            #expect(
                QueryItems(String(provider.opened[0].split(separator: "?")[1]))["max_age"]
                    == maxAge.map { String($0) }
            )
        }
    }

    @Test(arguments: [Int.max, Int.min, -1])
    func `Any maximum age can be asked for`(maxAge: Int) async throws {
        let provider = HostileProvider(Plan(claims: ["auth_time": .integer(1_800_000_000)]))
        let (_, error) = try await logIn(at: provider, with: AuthorizationOptions(maxAge: maxAge))
        #expect((error == nil) == (maxAge >= -1))
    }

    /// A client that asks for an authentication context must check it (Core, section 3.1.3.7, step 12).
    @Test func `The client asks for no authentication context, so it accepts any`() async throws {
        let options = AuthorizationOptions(
            scopes: ["profile", "acr"],
            prompt: .login,
            maxAge: 60,
            loginHint: "user&acr_values=phr",
            uiLocales: ["nb"]
        )
        let names: Set<String> = [
            "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method", "prompt", "max_age", "login_hint", "ui_locales",
        ]
        for acr in [nil, "0", "phr", .null, .integer(1), ["phr"]] as [JSONValue?] {
            let provider = HostileProvider(
                Plan(claims: ["acr": acr, "auth_time": .integer(1_800_000_000)])
            )
            let (_, error) = try await logIn(at: provider, with: options)
            #expect(error == nil, "\(String(describing: acr))")
            let query = try #require(provider.opened.first?.split(separator: "?").last)
            #expect(Set(QueryItems(String(query)).names) == names)
        }

        let path = "/par"
        let provider = HostileProvider(
            Plan(
                metadata: ["pushed_authorization_request_endpoint": .string(HostileProvider.issuer + path)],
                answers: [
                    path: { _ in
                        HostileProvider.json(["request_uri": "urn:x", "expires_in": .integer(60)], [:])
                    }
                ]
            )
        )
        _ = try await logIn(at: provider, with: options)
        let pushed = try #require(provider.requests(path).first)
        #expect(Set(QueryItems(encoded: pushed.body).names) == names)
    }

    // MARK: Keys

    /// A set that fits into 64 KiB has at most some hundred keys.
    @Test func `Of many keys, only the first 32 are used`() async throws {
        let provider = HostileProvider()
        func others(_ count: Int) -> [JSONValue] {
            (0..<count).map { number in
                let x = Base64URL.encode(
                    [UInt8](repeating: 1, count: 31) + [UInt8(truncatingIfNeeded: number)]
                )
                return ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(x), "kid": "1"]
            }
        }
        for (count, isTrusted) in [(31, true), (32, false), (400, false)] {
            provider.change { $0.keys = others(count) + [provider.jwk] }
            #expect(try await (logIn(at: provider).error == nil) == isTrusted)
        }
        provider.change { $0.keys = others(10_000) + [provider.jwk] }
        #expect(try await logIn(at: provider).error?.code == .invalidResponse)
    }

    @Test func `An unknown key is looked up once a minute, however many logins name it`() async throws {
        let provider = HostileProvider()
        let client = try provider.client()
        try await client.signIn(in: provider)
        #expect(provider.requests("/jwks").count == 1)
        provider.change { $0.header = ["alg": "ES256", "kid": "unknown"] }

        for minute in 0..<3 {
            for _ in 0..<(minute == 0 ? 100 : 3) {
                #expect(await failure { try await client.signIn(in: provider) }?.code == .untrusted)
            }
            #expect(provider.requests("/jwks").count == 1 + minute)
            provider.time.advance(by: .seconds(60))
        }
        // The session of before is still there.
        #expect(client.sessionState.session != nil)
    }

    @Test func `A key that the provider has replaced is found after a minute`() async throws {
        let provider = HostileProvider()
        let client = try provider.client()
        try await client.signIn(in: provider)
        let key = try SigningKey.generate()
        let json = try JSONCoding.decode(JSONValue.self, from: Array(key.publicKey.jwk.utf8))
        var jwk = try #require(json.object)
        jwk["kid"] = "2"
        provider.change { plan in
            plan.header = ["alg": "ES256", "kid": "2"]
            plan.sign = { try key.rawSignature(for: $0) }
            plan.keys = [.object(jwk)]
        }

        provider.time.advance(by: .seconds(60))

        try await client.signIn(in: provider)
    }

    @Test func `A key that the provider has withdrawn is trusted for an hour at most`() async throws {
        let provider = HostileProvider()
        let client = try provider.client()
        try await client.signIn(in: provider)
        provider.change { $0.keys = [] }

        provider.time.advance(by: .seconds(3599))
        try await client.signIn(in: provider)
        provider.time.advance(by: .seconds(1))

        #expect(await failure { try await client.signIn(in: provider) }?.code == .untrusted)
        #expect(provider.requests("/jwks").count == 2)
    }

    // MARK: Token responses

    private static let responses: [Row] = [
        Row("type mac", .invalidResponse) { $0.tokens = ["token_type": "mac"] },
        Row("type DPoP that wasn't asked for", .invalidResponse) { $0.tokens = ["token_type": "DPoP"] },
        Row("no type", .invalidResponse) { $0.tokens = ["token_type": nil] },
        Row("no access token", .invalidResponse) { $0.tokens = ["access_token": nil] },
        Row("a captive portal", .invalidResponse, answering: "/token", html),
        Row("more than 64 KiB", .invalidResponse, answering: "/token", large),
        Row(
            "a redirect",
            .invalidResponse,
            answering: "/token",
            HTTP.Response(307, headers: ["Location": "https://evil.example/token"])
        ),
        Row("an error", .refused) { plan in
            plan.answers["/token"] = { _ in
                HTTP.Response(
                    400,
                    headers: ["Content-Type": "application/json"],
                    body: Array(#"{"error":"invalid_grant"}"#.utf8)
                )
            }
        },
        Row("a lifetime of a thousand years", nil) { $0.tokens = ["expires_in": .integer(31_536_000_000)] },
        Row("a negative lifetime", nil) { $0.tokens = ["expires_in": .integer(-1)] },
    ]

    @Test(arguments: responses)
    func `Token responses that can't be trusted leave no session`(row: Row) async throws {
        var plan = Plan()
        row.change(&plan)
        let provider = HostileProvider(plan)

        let (_, error) = try await logIn(at: provider)

        #expect(error?.code == row.code, "\(String(describing: error))")
    }

    private static let binding: [String: JSONValue?] = ["dpop_signing_alg_values_supported": ["ES256"]]

    private static func askingForNonce(_ request: HTTP.Request) -> HTTP.Response {
        HTTP.Response(
            400,
            headers: ["Content-Type": "application/json", "DPoP-Nonce": "nonce-1"],
            body: Array(#"{"error":"use_dpop_nonce"}"#.utf8)
        )
    }

    @Test func `A provider that asks for a nonce in every answer is asked twice`() async throws {
        let provider = HostileProvider(
            Plan(metadata: Self.binding, answers: ["/token": { Self.askingForNonce($0) }])
        )

        let (client, error) = try await logIn(at: provider)
        #expect(error?.code == .refused && error?.cause is TokenRefusal)
        // The code is presented once more to end its grant.
        #expect(await client.engine.revocations?.settle() == true)
        #expect(provider.requests("/token").count == 4)
        #expect(provider.keys.living.isEmpty)
    }

    @Test func `A refresh for which a nonce is asked in every answer ends, and keeps the session`()
        async throws
    {
        let provider = HostileProvider(Plan(metadata: Self.binding, tokens: ["token_type": "DPoP"]))
        let (client, error) = try await logIn(at: provider)
        #expect(error == nil)
        provider.change { $0.answers["/token"] = { Self.askingForNonce($0) } }
        provider.time.advance(by: .seconds(601))
        let before = provider.requests("/token").count

        let result = await failure {
            try await client.send(HTTP.Request(.get, "/x"), to: "https://api.example.com")
        }

        #expect(result != nil && client.sessionState.isSignedIn)
        #expect(provider.requests("/token").count <= before + 8)
    }

    @Test(arguments: [("DPoP", "Bearer"), ("Bearer", "DPoP"), ("DPoP", "mac")])
    func `A refreshed token of another type is rejected, and the session is kept`(
        former: String,
        next: String
    ) async throws {
        let provider = HostileProvider(
            Plan(metadata: Self.binding, tokens: ["token_type": .string(former)])
        )
        let (client, error) = try await logIn(at: provider)
        #expect(error == nil)
        provider.change { $0.tokens = ["token_type": .string(next), "access_token": "stolen"] }
        provider.time.advance(by: .seconds(601))

        let result = await failure {
            try await client.send(HTTP.Request(.get, "/x"), to: "https://api.example.com")
        }

        #expect(result?.code == .refused && client.sessionState.isSignedIn)
        #expect(provider.requests("/x").isEmpty)
        #expect(client.engine.keeper.held?.stored.pair?.access == "access")
    }
}
