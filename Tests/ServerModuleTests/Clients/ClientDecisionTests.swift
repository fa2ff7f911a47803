import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

@Suite struct `Client authentication decision` {
    private static let now = Timestamp(seconds: 1_000_000)
    private static let new = ClientSecretHash.generated([1])
    private static let old = ClientSecretHash.chosen("$argon2id$x")

    private static func client(
        _ method: String,
        _ secrets: ClientSecrets = ClientSecrets(new),
        disabled: Bool = false
    ) throws -> OAuthClient {
        let json = #"{"token_endpoint_auth_method": "\#(method)", "latchkey": {"disabled": \#(disabled)}}"#
        return OAuthClient(
            id: "shop",
            metadata: try ClientMetadata(try JSONParser.parse(Array(json.utf8)), rules: nil),
            secrets: secrets,
            createdAt: now,
            updatedAt: now
        )
    }

    private static func credentials(_ method: String) throws -> ClientCredentials {
        switch method {
        case "client_secret_basic":
            try ClientCredentials(headers: ["Authorization": "Basic c2hvcDpz"], clientID: nil, secret: nil)
        case "client_secret_post": try ClientCredentials(headers: [:], clientID: "shop", secret: "s")
        default: try ClientCredentials(headers: [:], clientID: "shop", secret: nil)
        }
    }

    private static let methods = ["none", "client_secret_basic", "client_secret_post"]

    @Test(arguments: methods, methods)
    func `A client can only use the method that it has registered`(registered: String, used: String) throws {
        let decision = ClientDecision(
            try Self.credentials(used),
            of: try Self.client(registered),
            at: Self.now
        )

        switch (registered == used, used) {
        case (false, _): #expect(decision == .refused)
        case (true, "none"): #expect(decision == .accepted)
        case (true, _): #expect(decision == .compared("s", with: [Self.new]))
        }
    }

    @Test(arguments: methods)
    func `Unknown and disabled clients are refused`(method: String) throws {
        let credentials = try Self.credentials(method)

        #expect(ClientDecision(credentials, of: nil, at: Self.now) == .refused)
        let disabled = try Self.client(method, disabled: true)
        #expect(ClientDecision(credentials, of: disabled, at: Self.now) == .refused)
    }

    @Test(
        arguments: [
            (ClientSecrets(new), .compared("s", with: [new])),
            (ClientSecrets(old), .compared("s", with: [old])),
            (ClientSecrets(), .refused),
            (
                ClientSecrets(new, previous: old, until: now + .microseconds(1)),
                .compared("s", with: [new, old])
            ),
            (ClientSecrets(new, previous: old, until: now), .compared("s", with: [new])),
            (ClientSecrets(new, previous: old, until: now - .seconds(1)), .compared("s", with: [new])),
            (ClientSecrets(new, previous: old), .compared("s", with: [new])),
            (
                ClientSecrets(old).rotated(to: new, until: now + .seconds(1)),
                .compared("s", with: [new, old])
            ),
            (
                ClientSecrets(.generated([0])).rotated(to: old, until: now + .seconds(9))
                    .rotated(to: new, until: now + .seconds(1)),
                .compared("s", with: [new, old])
            ),
        ] as [(ClientSecrets, ClientDecision)]
    )
    func `The secret before a rotation is compared until it expires`(
        secrets: ClientSecrets,
        decision: ClientDecision
    ) throws {
        let client = try Self.client("client_secret_post", secrets)
        let credentials = try Self.credentials("client_secret_post")

        #expect(ClientDecision(credentials, of: client, at: Self.now) == decision)
    }
}

@Suite struct `Client credentials in requests` {
    private func credentials(
        _ authorization: String?,
        _ clientID: String? = nil,
        _ secret: String? = nil
    ) throws -> ClientCredentials {
        let headers: HTTP.Headers = authorization.map { ["Authorization": $0] } ?? [:]
        return try ClientCredentials(headers: headers, clientID: clientID, secret: secret)
    }

    /// Encodes credentials in standard base64 with padding.
    private func basic(_ text: String) -> String {
        let encoded = Base64URL.encode(Array(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
        return "Basic " + encoded + String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
    }

    @Test(arguments: [
        ("shop:secret", "shop", "secret"), ("shop:", "shop", ""), ("shop:a:b", "shop", "a:b"),
        ("shop%3Aa:b", "shop:a", "b"), ("a%2Fb:s%2Bs", "a/b", "s+s"), ("shop:a+b", "shop", "a b"),
        ("shop:%25%26%3D", "shop", "%&="), ("shop:%C3%A4", "shop", "ä"), ("s?>~:x", "s?>~", "x"),
        ("https%3A%2F%2Fapp.example.com:x", "https://app.example.com", "x"),
    ])
    func `Basic credentials are form-encoded`(text: String, id: String, secret: String) throws {
        let found = try credentials(basic(text))

        #expect(found.method == .basic)
        #expect(found.clientID == id)
        #expect(found.secret == Secret(secret))
    }

    @Test(arguments: ["Basic c2hvcDpz", "basic c2hvcDpz", "BASIC  c2hvcDpz"])
    func `The name of the scheme is case-insensitive`(header: String) throws {
        #expect(try credentials(header).secret == "s")
    }

    @Test(arguments: [
        "Basic", "Basic ", "Basic !!!", "Basic c2hvcA==", "Basic c2hvcDpz=", "Basic c2hv cDpz", "Bearer x",
        "DPoP x", "Basic OnM=", "Basic c2hvcDolenk=", "Basic c2hvcDol", "Basic c2hvcDol/w==",
        "Basic c2hvcDphJmI=", "Basic c2hvcDphPWI=", "Basic c2hvcDolMDA=",
        // base64url
        "Basic c2hvcDo-Pj4=", "Basic c2hvcDo_Pj4=",
    ])
    func `A malformed header field is answered with a challenge`(header: String) {
        let error = #expect(throws: OAuthError.self) { try credentials(header) }

        #expect(error?.code == .invalidClient)
        #expect(error?.status == 401)
        #expect(error?.response.headers["WWW-Authenticate"]?.hasPrefix("Basic realm=") == true)
    }

    @Test func `Credentials in the body are read`() throws {
        let post = try credentials(nil, "shop", "secret")
        #expect(post.method == .post && post.clientID == "shop" && post.secret == "secret")
        let none = try credentials(nil, "shop")
        #expect(none.method == .none && none.clientID == "shop" && none.secret == nil)
        #expect(try credentials(basic("shop:s"), "shop").method == .basic)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, nil, "secret"), ("Basic c2hvcDpz", nil, "s"),
            ("Basic c2hvcDpz", "shop", "s"),
            ("Basic c2hvcDpz", "other", nil),
        ] as [(String?, String?, String?)]
    )
    func `Missing, repeated and contradictory credentials are malformed requests`(
        header: String?,
        id: String?,
        secret: String?
    ) {
        let error = #expect(throws: OAuthError.self) { try credentials(header, id, secret) }

        #expect(error?.code == .invalidRequest)
        #expect(error?.status == 400)
    }

    @Test func `Two header fields are a malformed request`() {
        var headers = HTTP.Headers()
        for value in ["Basic c2hvcDpz", "Basic b3RoZXI6cw=="] {
            headers.fields.append(HTTP.Headers.Field(name: "Authorization", value: value))
        }

        let error = #expect(throws: OAuthError.self) {
            try ClientCredentials(headers: headers, clientID: nil, secret: nil)
        }

        #expect(error?.code == .invalidRequest)
    }
}
