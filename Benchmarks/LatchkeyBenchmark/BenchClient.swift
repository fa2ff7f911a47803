import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// An OAuth client of the measured server.
enum BenchClient: String, CaseIterable {
    /// A client whose ID tokens are signed with ECDSA.
    case es256 = "bench-es256"
    /// A client whose ID tokens are signed with RSA.
    case rs256 = "bench-rs256"

    /// The command that has a server process register the clients.
    ///
    /// The server generates an RSA key in the background once there is a client that needs it.
    static let command = "register clients"

    static let redirectURI = "https://client.example.com/callback"

    /// The verifier and the challenge of all requests, from RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private static let scope = "openid profile email offline_access"

    private var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .rs256: "RS256"
        }
    }

    /// The target of an authorization request.
    var authorizationTarget: String {
        let items = [
            ("client_id", rawValue), ("redirect_uri", Self.redirectURI), ("response_type", "code"),
            ("scope", Self.scope), ("state", "the state"), ("nonce", "the nonce"),
            ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
        ]
        return Route.authorization + "?" + Work.form(items)
    }

    /// Registers the clients.
    static func register(in database: any Database, at now: Timestamp) async throws {
        for client in allCases {
            let json = """
                {"client_name": "Benchmark", "redirect_uris": ["\(redirectURI)"], "scope": "\(scope)", \
                "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none", \
                "id_token_signed_response_alg": "\(client.algorithm)"}
                """
            let registered = OAuthClient(
                id: client.rawValue,
                metadata: try ClientMetadata(try JSONParser.parse(Array(json.utf8)), rules: nil),
                secrets: ClientSecrets(),
                createdAt: now,
                updatedAt: now
            )
            _ = try await database.transaction { try ClientRepository.insert(registered, in: $0) }
        }
    }
}
