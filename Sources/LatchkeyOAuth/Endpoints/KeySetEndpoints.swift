import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The public endpoints that return the key set and the authorization server metadata.
///
/// Resource servers and clients use these endpoints.
struct KeySetEndpoints: Sendable {
    private let settings: TokenSettings
    private let issuer: String
    private let keys: SigningKeyRing
    private let scopes: [String]

    /// Creates the endpoints.
    ///
    /// - Parameters:
    ///   - settings: Determines the `max-age` of the responses.
    ///   - issuer: The server's URL, which is the `iss` claim of access tokens.
    ///   - keys: The signing keys, of which only the public keys are published.
    ///   - scopes: The scopes that clients can request.
    init(settings: TokenSettings, issuer: String, keys: SigningKeyRing, scopes: [String]) {
        self.scopes = scopes
        self.settings = settings
        self.issuer = issuer
        self.keys = keys
    }

    /// The endpoints for the key set and the metadata.
    ///
    /// Shared caches may store the responses, because they don't contain any user data.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.keySet,
                below: .server,
                accepts: .none,
                cors: .anyOrigin,
                operation: .keySet,
                answer: keySet
            )
        ]
            + [Route.authorizationServer, Route.openIDConfiguration].map { path in
                Endpoint(
                    .get,
                    path,
                    below: .server,
                    accepts: .none,
                    cors: .anyOrigin,
                    operation: path == Route.authorizationServer
                        ? .authorizationServer : .openIDConfiguration,
                    answer: metadata
                )
            }
    }

    /// Returns the public keys as a JSON Web Key Set (RFC 7517, section 5).
    ///
    /// EC keys come before RSA keys, because some clients use the first key that they find. The keys of each
    /// kind are sorted by age, oldest first. The set includes keys that will be used for signing in the
    /// future and keys that are no longer used.
    private func keySet(_ context: RequestContext) async throws -> HTTP.Response {
        let published = try await keys.published(at: context.now)
        // The first key of an algorithm is used as soon as a client needs it. A cache that stored the set for an
        // hour would make that client reject its first ID tokens.
        let isComplete = Set(published.map(\.key.algorithm)).count == SigningAlgorithm.allCases.count
        return cacheable(
            SigningKeyRing.set(of: published),
            for: isComplete ? settings.keySetMaxAge : settings.incompleteKeySetMaxAge
        )
    }

    /// Returns the metadata of the provider (RFC 8414; OpenID Connect Discovery, section 3) for the features
    /// that are supported.
    ///
    /// The metadata depends only on the configuration, so the database isn't accessed.
    private func metadata(_ context: RequestContext) async throws -> HTTP.Response {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("issuer")
            writer.string(issuer)
            for (name, path) in Self.endpoints {
                writer.name(escaping: name)
                writer.string(issuer + path)
            }
            writer.name("token_endpoint")
            writer.string(issuer + Route.token)
            writer.name("revocation_endpoint")
            writer.string(issuer + Route.revocation)
            writer.name("jwks_uri")
            writer.string(issuer + Route.keySet)
            write(TokenRequest.Grant.allCases.map(\.rawValue), as: "grant_types_supported", to: &writer)
            write(["code"], as: "response_types_supported", to: &writer)
            write(["query"], as: "response_modes_supported", to: &writer)
            let methods = ClientMetadata.AuthenticationMethod.allCases.map(\.rawValue)
            write(methods, as: "token_endpoint_auth_methods_supported", to: &writer)
            write(methods, as: "revocation_endpoint_auth_methods_supported", to: &writer)
            write(["S256"], as: "code_challenge_methods_supported", to: &writer)
            write(["ES256"], as: "dpop_signing_alg_values_supported", to: &writer)
            write(scopes, as: "scopes_supported", to: &writer)
            write(["public"], as: "subject_types_supported", to: &writer)
            write(Self.claims, as: "claims_supported", to: &writer)
            let algorithms = ClientMetadata.SigningAlgorithm.allCases.map(\.rawValue)
            write(algorithms, as: "id_token_signing_alg_values_supported", to: &writer)
            let prompts = AuthorizationRequest.Prompt.allCases.map(\.rawValue)
            write(prompts, as: "prompt_values_supported", to: &writer)
            write(AssuranceLevel.allCases.map(\.rawValue), as: "acr_values_supported", to: &writer)
            write(Language.allCases.map(\.rawValue), as: "ui_locales_supported", to: &writer)
            for (name, isSupported) in Self.features {
                writer.name(escaping: name)
                writer.bool(isSupported)
            }
        }
        return cacheable(writer.bytes, for: settings.keySetMaxAge)
    }

    /// The members with the addresses of endpoints that have a meaning only for registered clients.
    private static let endpoints: [(name: String, path: String)] = [
        ("authorization_endpoint", Route.authorization), ("userinfo_endpoint", Route.userInfo),
        ("pushed_authorization_request_endpoint", Route.pushedRequests),
    ]

    /// The claims that ID tokens and the userinfo endpoint can contain.
    private static let claims =
        ["sub", "auth_time", "acr", "amr", "nonce", "sid", "at_hash"]
        + IdentityClaim.allCases.flatMap { [$0.rawValue] + ($0.verification.map { [$0] } ?? []) }
        + ["updated_at"]

    /// The members that say whether an optional feature is supported.
    private static let features: [(name: String, isSupported: Bool)] = [
        ("authorization_response_iss_parameter_supported", true), ("claims_parameter_supported", false),
        ("request_parameter_supported", false), ("request_uri_parameter_supported", false),
        ("require_pushed_authorization_requests", false),
    ]

    /// Writes a member whose value is an array of strings.
    private func write(_ texts: [String], as name: StaticString, to writer: inout JSONWriter) {
        writer.name(name)
        writer.array { writer in for text in texts { writer.string(text) } }
    }

    /// Creates a response that caches may store.
    ///
    /// A new key is published for some time before it is used. Cached responses must expire before the new
    /// key is used, so their maximum age is at most half of that time.
    private func cacheable(_ body: [UInt8], for maxAge: Int64) -> HTTP.Response {
        var response = HTTP.Response.json(200, body: body)
        response.headers["Cache-Control"] = "public, max-age=\(maxAge)"
        return response
    }
}
