import LatchkeyAccounts
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// The queries of authorization requests, and the other values that a browser brings along.
    static let authorization = FuzzTarget(
        name: "authorization",
        summary: "authorization requests, their redirect URIs, return URLs, and cookies",
        words: [
            "client_id=app&", "redirect_uri=", "response_type=code&", "scope=openid&", "state=",
            "prompt=none",
            "code_challenge_method=S256&", "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&",
            "http%3A%2F%2F127.0.0.1%3A80%2Fcb", "com.example.app%3A%2Fcb", "max_age=0", "dpop_jkt=",
            "request_uri=", "https://app.example.com/in", "latchkey_session=", "; ", "%2e%2e", "@", "\\",
        ]
    ) { bytes in
        try checkRequest(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        try checkReturnURL(text)
        try checkCookies(text)
    }

    private static let client: OAuthClient? = {
        let json = """
            {"redirect_uris": ["https://app.example.com/cb", "http://127.0.0.1/cb", "com.example.app:/cb"], \
            "scope": "openid email", "token_endpoint_auth_method": "none", "application_type": "native"}
            """
        guard let parsed = try? JSONParser.parse(Array(json.utf8)),
            let metadata = try? ClientMetadata(parsed, rules: ClientRules(schemas: []))
        else { return nil }
        return OAuthClient(
            id: "app",
            metadata: metadata,
            secrets: ClientSecrets(),
            createdAt: Timestamp(seconds: 0),
            updatedAt: Timestamp(seconds: 0)
        )
    }()

    private static func checkRequest(_ bytes: [UInt8]) throws {
        guard let client else { throw BrokenRule("the sample client is valid") }
        guard let parameters = try? AuthorizationParameters(bytes),
            let uri = try? parameters.redirectURI(of: client)
        else { return }
        try expect(
            client.metadata.redirectURIs.contains { $0.matches(uri) },
            "the redirect URI is registered"
        )
        let response = AuthorizationResponse(
            to: uri,
            state: parameters["state"],
            issuer: "https://id.example.com"
        )
        let address = response.address(with: .accessDenied)
        try expect(address.hasPrefix(uri), "the response leads to the redirect URI")
        try expect(address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the response is one header field")
        let parsed = try? parameters.request(of: client, redirectURI: uri, subject: nil) { $0 != "other" }
        guard let request = parsed else { return }
        try expect(request.challenge != nil, "a public client has a challenge")
        try expect(!request.scopes.isEmpty, "a request has a scope")
        try expect(
            Set(request.scopes).isSubset(of: client.metadata.scopes),
            "a client gets only registered scopes"
        )
        try expect(AuthorizationRequest(json: request.json) == request, "a stored request can be read")
        try expect(request.json.count <= AuthorizationParameters.byteLimit * 6, "a stored request is bounded")
    }

    private static func checkReturnURL(_ text: String) throws {
        let allowed = ReturnURLs(
            ["https://app.example.com/in", "https://*.example.org"],
            own: "https://id.example.com"
        )
        guard let url = allowed.normalized(text) else { return }
        try expect(allowed.normalized(url) == url, "a normalized return URL doesn't change any more")
        let isOwn = url.hasPrefix("https://id.example.com/") || url == "https://id.example.com"
        let isListed = url.hasPrefix("https://app.example.com/in")
        let host = url.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        try expect(
            isOwn || isListed || host.hasSuffix(".example.org"),
            "a return URL leads to an allowed host"
        )
        try expect(
            url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") },
            "it is printable"
        )
    }

    private static func checkCookies(_ text: String) throws {
        let request = HTTP.Request(.get, "/", headers: ["Cookie": text])
        for value in request.cookies("latchkey_session") {
            try expect(!value.utf8.contains(UInt8(ascii: ";")), "the value of a cookie ends at a semicolon")
            try expect(!value.isEmpty, "an empty cookie is left out")
        }
        if let value = request.cookie("latchkey_session") {
            try expect(request.cookies("latchkey_session") == [value], "a repeated cookie isn't used")
        }
    }
}
