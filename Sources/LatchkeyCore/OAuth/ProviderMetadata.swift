import LatchkeyModel
import LatchkeyWire

/// The published metadata of an OpenID provider (OpenID Connect Discovery 1.0, section 3; RFC 8414).
package struct ProviderMetadata: Hashable, Sendable {
    /// The provider's name, which ID tokens and responses contain.
    let issuer: String
    let authorizationEndpoint: WebAddress
    let tokenEndpoint: WebAddress
    let keySet: WebAddress
    /// The endpoint for pushed requests (RFC 9126), or `nil` if there is none.
    let pushedRequestEndpoint: WebAddress?
    let revocationEndpoint: WebAddress?
    let userInfoEndpoint: WebAddress?
    /// Whether every response contains `iss` (RFC 9207).
    let namesItself: Bool
    /// Whether tokens can be bound to a key with ES256 (RFC 9449, section 5.1).
    let bindsTokens: Bool

    /// The path of the metadata below the issuer.
    static let path = "/.well-known/openid-configuration"

    /// The path of the metadata of OAuth servers, before the path of the issuer.
    static let serverPath = "/.well-known/oauth-authorization-server"

    /// Decodes metadata.
    ///
    /// - Parameters:
    ///   - json: The published document.
    ///   - issuer: The issuer that the app trusts. It must be the same text as in the document (section 4.3).
    /// - Throws: ``LatchkeyError/Code/invalidResponse`` if the document names another issuer, lacks a required
    ///   member, has an endpoint that is readable on the way, or doesn't support PKCE with `S256`.
    init(decoding json: JSONValue, of issuer: String) throws(LatchkeyError) {
        guard let found = json["issuer"]?.text, found.hasSameBytes(as: issuer) else {
            throw Self.invalid("The metadata of the provider name another issuer.")
        }
        func endpoint(_ name: String) throws(LatchkeyError) -> WebAddress? {
            guard let text = json[name]?.text else { return nil }
            guard let address = WebAddress(text), address.isConfidential else {
                throw Self.invalid("The member \(name) of the provider's metadata must be an https URL.")
            }
            return address
        }
        guard let authorization = try endpoint("authorization_endpoint"),
            let token = try endpoint("token_endpoint"), let keys = try endpoint("jwks_uri")
        else {
            throw Self.invalid("The metadata of the provider lack an endpoint for logins.")
        }
        if let methods = json["code_challenge_methods_supported"]?.array,
            !methods.contains(.string("S256"))
        {
            throw Self.invalid("The provider does not support the code challenge method S256.")
        }
        let pushes = try endpoint("pushed_authorization_request_endpoint")
        if pushes == nil, json["require_pushed_authorization_requests"]?.bool == true {
            throw Self.invalid("The provider requires pushed requests, but has no endpoint for them.")
        }
        self.issuer = issuer
        (authorizationEndpoint, tokenEndpoint, keySet) = (authorization, token, keys)
        pushedRequestEndpoint = pushes
        revocationEndpoint = try endpoint("revocation_endpoint")
        userInfoEndpoint = try endpoint("userinfo_endpoint")
        namesItself = json["authorization_response_iss_parameter_supported"]?.bool ?? false
        bindsTokens = json["dpop_signing_alg_values_supported"]?.array?.contains(.string("ES256")) ?? false
    }

    private static func invalid(_ message: String) -> LatchkeyError {
        LatchkeyError(.invalidResponse, message: message)
    }
}
