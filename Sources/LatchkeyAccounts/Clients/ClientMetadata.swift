package import LatchkeyCrypto
package import LatchkeyServerKit
import LatchkeyWire

/// The metadata of an OAuth client (RFC 7591), with the members that Ory Hydra has and our own ones.
///
/// ``document`` contains every member that is stored and returned. The other properties are the members that
/// have an effect.
package struct ClientMetadata: Sendable {
    /// How a client authenticates at the token endpoint (RFC 7591, section 2).
    package enum AuthenticationMethod: String, Sendable, CaseIterable {
        /// The client has no secret.
        case none
        /// The client sends its id and secret in the `Authorization` header field.
        case basic = "client_secret_basic"
        /// The client sends its id and secret in the body of the request.
        case post = "client_secret_post"
    }

    /// A grant that the server offers.
    package enum GrantType: String, Sendable, CaseIterable {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    }

    package enum ApplicationType: String, Sendable, CaseIterable {
        case web, native
    }

    /// The algorithm that ID tokens are signed with.
    package typealias SigningAlgorithm = LatchkeyCrypto.SigningAlgorithm

    /// A lifespan that a client can choose for its tokens.
    ///
    /// The lifespans for grants that the server doesn't offer have no effect.
    package enum Lifespan: String, Sendable, CaseIterable {
        case codeAccessToken = "authorization_code_grant_access_token_lifespan"
        case codeIDToken = "authorization_code_grant_id_token_lifespan"
        case codeRefreshToken = "authorization_code_grant_refresh_token_lifespan"
        case clientCredentialsAccessToken = "client_credentials_grant_access_token_lifespan"
        case implicitAccessToken = "implicit_grant_access_token_lifespan"
        case implicitIDToken = "implicit_grant_id_token_lifespan"
        case assertionAccessToken = "jwt_bearer_grant_access_token_lifespan"
        case refreshAccessToken = "refresh_token_grant_access_token_lifespan"
        case refreshIDToken = "refresh_token_grant_id_token_lifespan"
        case refreshRefreshToken = "refresh_token_grant_refresh_token_lifespan"
        case deviceAccessToken = "device_authorization_grant_access_token_lifespan"
        case deviceIDToken = "device_authorization_grant_id_token_lifespan"
        case deviceRefreshToken = "device_authorization_grant_refresh_token_lifespan"
    }

    /// All members in their normalized form, in the order in which they are returned.
    package let document: [OrderedJSON.Member]

    /// The name that pages show to users.
    ///
    /// The name may be empty, and is untrusted text.
    package let name: String
    package let owner: String
    /// The page about the client, or `nil` if it has none.
    package let uri: String?
    package let logoURI: String?
    package let policyURI: String?
    package let termsURI: String?
    package let redirectURIs: [RedirectURI]
    package let postLogoutRedirectURIs: [RedirectURI]
    package let grantTypes: Set<GrantType>
    /// The scopes that the client may request.
    package let scopes: [String]
    package let audience: [String]
    package let authenticationMethod: AuthenticationMethod
    package let applicationType: ApplicationType
    package let corsOrigins: [String]
    package let idTokenAlgorithm: SigningAlgorithm
    /// Whether the user isn't asked for consent.
    package let skipsConsent: Bool
    package let lifespans: [Lifespan: Duration]
    package let own: OwnClientMembers

    /// Whether the client authenticates with a secret.
    package var isConfidential: Bool { authenticationMethod != .none }

    /// Whether the client may get ID tokens.
    var getsIDTokens: Bool { scopes.contains("openid") }

    /// Returns whether the redirect URI of an authorization request is registered.
    package func allows(redirectURI: String) -> Bool {
        redirectURIs.contains { $0.matches(redirectURI) }
    }
}

extension ClientMetadata {
    /// Reads metadata from the body of a request, or from the database.
    ///
    /// Members that are missing or null get their default values, and unknown members are ignored.
    ///
    /// - Parameters:
    ///   - json: The JSON object.
    ///   - rules: The rules that a registration must follow, or `nil` for metadata that was stored earlier.
    /// - Throws: ``ServerError`` with status 400, whose reason names the invalid member.
    package init(_ json: OrderedJSON, rules: ClientRules?) throws(ServerError) {
        var reader = try MemberReader(json)
        name = try reader.text("client_name", atMost: 256, isShown: true)
        owner = try reader.text("owner", atMost: 255)
        uri = try reader.webURL("client_uri")
        logoURI = try reader.webURL("logo_uri", onlyHTTPS: true)
        policyURI = try reader.webURL("policy_uri")
        termsURI = try reader.webURL("tos_uri")
        grantTypes = try reader.choices("grant_types", default: [.authorizationCode])
        try reader.fixedList("response_types", only: ["code"])
        scopes = try reader.scopes("scope", default: ["openid", "offline_access"])
        audience = try reader.texts("audience", atMost: 512)
        authenticationMethod = try reader.choice("token_endpoint_auth_method", default: .basic)
        applicationType = try reader.choice("application_type", default: .web)
        corsOrigins = try reader.origins("allowed_cors_origins", allowingHTTP: rules?.allowsHTTP ?? true)
        idTokenAlgorithm = try reader.optionalChoice("id_token_signed_response_alg") ?? .rs256
        skipsConsent = try reader.bool("skip_consent")
        var lifespans: [Lifespan: Duration] = [:]
        for lifespan in Lifespan.allCases { lifespans[lifespan] = try reader.lifespan(lifespan.rawValue) }
        self.lifespans = lifespans
        try reader.membersWithoutEffect()
        own = try OwnClientMembers(&reader, rules: rules)

        var redirects = RedirectURI.Rules()
        redirects.isNative = applicationType == .native
        redirects.allowsShortSchemes = own.allowsShortScheme
        redirects.allowsHTTP = rules?.allowsHTTP ?? true
        let strict = rules.map { ($0.mostRedirectURIs, redirects) }
        redirectURIs = try reader.redirectURIs("redirect_uris", by: strict)
        postLogoutRedirectURIs = try reader.redirectURIs("post_logout_redirect_uris", by: strict)
        document = reader.document
        if let rules { try check(rules) }
    }

    /// Checks the rules that concern several members.
    private func check(_ rules: ClientRules) throws(ServerError) {
        guard json.count <= rules.byteLimit else {
            throw .malformed("The client's metadata is larger than \(rules.byteLimit) bytes.")
        }
        guard isConfidential || own.pkce == .required else {
            throw .malformed("The member latchkey.pkce can only be optional for a client with a secret.")
        }
        guard !own.opensNativeSessions || own.isFirstParty else {
            throw .malformed("The member latchkey.native_session requires latchkey.first_party.")
        }
    }

    /// The document as JSON, as it is stored.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.value(ordered: .object(document))
        return writer.bytes
    }
}

/// The rules for the metadata of clients.
package struct ClientRules: Sendable {
    /// Whether redirect URIs can use `http` for all hosts.
    package var allowsHTTP: Bool
    package var mostRedirectURIs: Int
    /// The maximum size of the stored metadata.
    package var byteLimit: Int
    /// The ids of the identity schemas.
    package var schemas: Set<String>
    /// The schemas whose traits required fields must name, or `nil` if the names aren't checked.
    package var catalog: SchemaCatalog?

    package init(_ settings: ClientSettings = ClientSettings(), schemas: SchemaCatalog) {
        self.init(settings, schemas: Set(schemas.all.map(\.id)))
        catalog = schemas
    }

    package init(_ settings: ClientSettings = ClientSettings(), schemas: Set<String>) {
        allowsHTTP = settings.allowsHTTPRedirects
        mostRedirectURIs = settings.redirectURIs
        byteLimit = settings.metadataKiB * 1024
        self.schemas = schemas
    }
}
