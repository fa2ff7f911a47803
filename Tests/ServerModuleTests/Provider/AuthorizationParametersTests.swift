import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

@Suite("Parameters of authorization requests")
struct AuthorizationParametersTests {
    private static let challenge = String(repeating: "A", count: 43)

    /// Returns a client with members of its metadata, as JSON without braces.
    ///
    /// The rules of registrations don't apply, as for a client that was stored earlier.
    private static func client(_ members: String = "") throws -> OAuthClient {
        let json = """
            {"redirect_uris": ["\(ProviderServer.callback)"], "scope": "openid email address"\
            \(members.isEmpty ? "" : ", " + members)}
            """
        return OAuthClient(
            id: "shop",
            metadata: try ClientMetadata(JSONParser.parse(Array(json.utf8)), rules: nil),
            secrets: ClientSecrets(),
            createdAt: Timestamp(seconds: 0),
            updatedAt: Timestamp(seconds: 0)
        )
    }

    /// Returns a query, in which a parameter that is `nil` is left out.
    private static func query(_ parameters: [String: String?]) -> [UInt8] {
        var all: [String: String?] = [
            "redirect_uri": ProviderServer.callback, "response_type": "code", "scope": "openid",
            "code_challenge": challenge, "code_challenge_method": "S256",
        ]
        all.merge(parameters) { $1 }
        let items = all.compactMap { name, value in value.map { name + "=" + QueryItems.encode($0) } }
        return Array(items.joined(separator: "&").utf8)
    }

    /// Returns the request that the parameters make to a server that doesn't know the scope `address`.
    private static func request(
        _ parameters: [String: String?] = [:],
        of client: OAuthClient? = nil
    ) throws -> AuthorizationRequest {
        let client = try client ?? Self.client()
        let parameters = try AuthorizationParameters(query(parameters))
        return try parameters.request(
            of: client,
            redirectURI: parameters.redirectURI(of: client),
            subject: nil,
            isKnown: { $0 != "address" }
        )
    }

    private static func error(
        _ parameters: [String: String?] = [:],
        of client: OAuthClient? = nil
    ) -> AuthorizationError? {
        #expect(throws: AuthorizationError.self) { try request(parameters, of: client) }
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    // MARK: Limits

    @Test func `A request can have 8192 bytes`() throws {
        let padding = 8192 - Self.query(["x": ""]).count
        #expect(try Self.request(["x": Self.text(padding)]).clientID == "shop")
        #expect(throws: AuthorizationParameters.Refusal.self) {
            try Self.request(["x": Self.text(padding + 1)])
        }
    }

    @Test func `A state can have 2048 bytes, and a nonce 512`() throws {
        #expect(try Self.request(["state": Self.text(2048)]).state == Self.text(2048))
        #expect(Self.error(["state": Self.text(2049)])?.code == .invalidRequest)
        #expect(try Self.request(["nonce": Self.text(512)]).nonce == Self.text(512))
        #expect(Self.error(["nonce": Self.text(513)])?.code == .invalidRequest)
    }

    @Test func `Hints that are too long are ignored`() throws {
        #expect(try Self.request(["login_hint": Self.text(512)]).loginHint == Self.text(512))
        #expect(try Self.request(["login_hint": Self.text(513)]).loginHint == nil)
        #expect(try Self.request(["ui_locales": Self.text(256)]).uiLocales == Self.text(256))
        #expect(try Self.request(["ui_locales": Self.text(257)]).uiLocales == nil)
    }

    @Test(arguments: [
        ("0", 0), ("2147483648", 2_147_483_648), ("2147483649", nil), ("99999999999", nil),
        ("0000000060", 60), ("00000000060", nil), ("-1", nil), ("+1", nil), ("1.5", nil), (" 1", nil),
    ])
    func `A max_age has at most ten digits`(text: String, seconds: Int64?) throws {
        if let seconds {
            #expect(try Self.request(["max_age": text]).maxAge == seconds)
        } else {
            #expect(Self.error(["max_age": text])?.code == .invalidRequest)
        }
    }

    // MARK: Values

    @Test func `An empty parameter is treated as missing`() throws {
        let empty = ["state", "nonce", "response_mode", "request", "registration", "max_age", "login_hint"]
        let request = try Self.request(Dictionary(uniqueKeysWithValues: empty.map { ($0, "") }))
        #expect(request == (try Self.request()))
        #expect(Self.error(["code_challenge": "", "code_challenge_method": ""])?.code == .invalidRequest)
        #expect(throws: AuthorizationParameters.Refusal.self) { try Self.request(["redirect_uri": ""]) }
    }

    @Test func `The response mode can be query`() throws {
        #expect(try Self.request(["response_mode": "query"]).clientID == "shop")
        for mode in ["fragment", "form_post", "query.jwt", "Query"] {
            #expect(Self.error(["response_mode": mode])?.code == .invalidRequest)
        }
    }

    @Test func `A scope must be registered for the client and known to the server`() throws {
        #expect(try Self.request(["scope": "openid phone address email"]).scopes == ["openid", "email"])
        #expect(Self.error(["scope": "address"])?.code == .invalidScope)
        #expect(Self.error(["scope": "phone"])?.code == .invalidScope)
    }

    @Test func `A client without the grant type authorization_code is refused`() throws {
        let client = try Self.client(#""grant_types": ["refresh_token"]"#)
        #expect(Self.error(of: client)?.code == .unauthorizedClient)
    }

    // MARK: Challenges

    /// Without a challenge, a copied code is useless only to attackers who don't know the client's secret.
    @Test func `Only a confidential client can leave out the challenge`() throws {
        let none: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil, "nonce": "n"]
        let open = #""latchkey": {"pkce": "optional"}"#
        let confidential = try Self.client(open)
        let openPublic = try Self.client(open + #", "token_endpoint_auth_method": "none""#)
        #expect(try Self.request(none, of: confidential).challenge == nil)
        #expect(Self.error(none, of: openPublic)?.code == .invalidRequest)
        #expect(Self.error(none)?.code == .invalidRequest)
        #expect(Self.error(none.merging(["nonce": nil]) { $1 }, of: confidential)?.code == .invalidRequest)
    }

    @Test func `A method without its challenge is an error, even if the challenge is optional`() throws {
        let client = try Self.client(#""latchkey": {"pkce": "optional"}"#)
        let error = Self.error(["code_challenge": nil, "nonce": "n"], of: client)
        #expect(error?.reason == "The parameter code_challenge is missing.")
    }
}
