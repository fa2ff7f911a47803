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

    /// Creates the endpoints.
    ///
    /// - Parameters:
    ///   - settings: Determines the `max-age` of the responses.
    ///   - issuer: The server's URL, which is the `iss` claim of access tokens.
    ///   - keys: The signing keys, of which only the public keys are published.
    init(settings: TokenSettings, issuer: String, keys: SigningKeyRing) {
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
            ),
            Endpoint(
                .get,
                Route.authorizationServer,
                below: .server,
                accepts: .none,
                cors: .anyOrigin,
                operation: .authorizationServer,
                answer: metadata
            ),
        ]
    }

    /// Returns the public keys as a JSON Web Key Set (RFC 7517, section 5).
    ///
    /// The keys are sorted by age, oldest first. The set includes keys that will be used for signing in the
    /// future and keys that are no longer used.
    private func keySet(_ context: RequestContext) async throws -> HTTP.Response {
        let published = try await keys.published(at: context.now)
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("keys")
            writer.array { writer in
                for (id, key) in published {
                    var members = Array(key.jwk.utf8.dropLast())
                    members += Array(#","use":"sig","alg":"ES256","kid":"\#(id)"}"#.utf8)
                    writer.raw(members)
                }
            }
        }
        return cacheable(writer.bytes)
    }

    /// Returns the authorization server metadata (RFC 8414) for the features that are supported.
    ///
    /// The metadata depends only on the configuration, so the database isn't accessed.
    private func metadata(_ context: RequestContext) async throws -> HTTP.Response {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("issuer")
            writer.string(issuer)
            writer.name("token_endpoint")
            writer.string(issuer + Route.token)
            writer.name("revocation_endpoint")
            writer.string(issuer + Route.revocation)
            writer.name("jwks_uri")
            writer.string(issuer + Route.keySet)
            write(TokenRequest.Grant.allCases.map(\.rawValue), as: "grant_types_supported", to: &writer)
            // RFC 8414 requires this member, which is empty because there is no authorization endpoint.
            write([], as: "response_types_supported", to: &writer)
            write(["none"], as: "token_endpoint_auth_methods_supported", to: &writer)
            write(["none"], as: "revocation_endpoint_auth_methods_supported", to: &writer)
            write(["ES256"], as: "dpop_signing_alg_values_supported", to: &writer)
        }
        return cacheable(writer.bytes)
    }

    /// Writes a member whose value is an array of strings.
    private func write(_ texts: [String], as name: StaticString, to writer: inout JSONWriter) {
        writer.name(name)
        writer.array { writer in for text in texts { writer.string(text) } }
    }

    /// Creates a response that caches may store.
    ///
    /// A new key is published for some time before it is used. Cached responses must expire before the new
    /// key is used, so their maximum age is at most half of that time.
    private func cacheable(_ body: [UInt8]) -> HTTP.Response {
        var response = HTTP.Response.json(200, body: body)
        response.headers["Cache-Control"] = "public, max-age=\(settings.keySetMaxAge)"
        return response
    }
}
