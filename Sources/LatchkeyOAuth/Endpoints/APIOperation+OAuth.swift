import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// The media type that request bodies of the OAuth endpoints must have.
    private static let form = "application/x-www-form-urlencoded"
    /// The error responses that the token and revocation endpoints have in common.
    private static let refusals: [APIResponse] = [
        APIResponse(
            400,
            "An OAuth error. At the token endpoint, `interaction_required` means that the user has to complete the step in `duty` first. The request has used up no code, token or proof.",
            .either([.component(.oauthError), .error])
        ),
        APIResponse(401, "`invalid_client`: the client could not be authenticated.", .component(.oauthError)),
        APIResponse(413, "The body is too large.", .either([.component(.oauthError), .error])),
    ]

    /// The token endpoint (RFC 6749, section 3.2).
    ///
    /// The operation id is the same as in Ory Hydra.
    static let makeTokens = APIOperation(
        "oauth2TokenExchange",
        "Issues tokens to an OAuth client, or to an app of this server for its session.",
        details:
            "A client redeems an authorization code (RFC 6749, section 4.1.3) or refreshes its tokens (section 6). An app exchanges the token of a session with a device certificate (RFC 8693), with proof of possession of the device key in the DPoP header (RFC 9449). An app also exchanges the token of its session for a code of another client: a code for the page `/continue`, or an authorization code that the other client redeems with its secret.",
        parameters: [.header("DPoP", "The DPoP proof, which only the tokens of sessions need.")],
        body: APIBody(
            schema: .either([
                .object(
                    [
                        .required("grant_type", .oneOf(TokenRequest.Grant.tokenExchange.rawValue)),
                        .required("subject_token", .text),
                        .required("subject_token_type", .oneOf(TokenType.accessToken.rawValue)),
                        .optional("client_id", .text), .tokenType,
                    ],
                    isOpen: true
                ),
                .object(
                    [
                        .required("grant_type", .oneOf(TokenRequest.Grant.tokenExchange.rawValue)),
                        .required(
                            "requested_token_type",
                            .oneOf(TokenType.webSessionCode.rawValue, TokenType.authorizationCode.rawValue)
                        ),
                        .required("subject_token", .text),
                        .required("subject_token_type", .oneOf(TokenType.session.rawValue)),
                        .required("audience", .text), .required("redirect_uri", .text),
                        .optional("scope", .text), .optional("client_id", .text),
                        .optional("client_secret", .text),
                    ],
                    isOpen: true
                ),
                .object(
                    [
                        .required("grant_type", .oneOf(TokenRequest.Grant.refreshToken.rawValue)),
                        .required("refresh_token", .text), .optional("client_id", .text), .tokenType,
                    ],
                    isOpen: true
                ),
                .object(
                    [
                        .required("grant_type", .oneOf(TokenRequest.Grant.authorizationCode.rawValue)),
                        .required("code", .text), .required("redirect_uri", .text),
                        .optional("code_verifier", .text), .optional("client_id", .text),
                        .optional("client_secret", .text),
                    ],
                    isOpen: true
                ),
            ]),
            mediaTypes: [form]
        ),
        [
            APIResponse(
                200,
                "The tokens. A client gets a refresh token for the scope `offline_access`, and an ID token for `openid`.",
                .object([
                    .required("access_token", .text),
                    .optional(
                        "issued_token_type",
                        .oneOf(
                            TokenType.accessToken.rawValue,
                            TokenType.session.rawValue,
                            TokenType.webSessionCode.rawValue,
                            TokenType.authorizationCode.rawValue
                        )
                    ),
                    // Codes and the token of a session are no access tokens.
                    .required("token_type", .oneOf(AccessTokenType.allCases.map(\.rawValue) + ["N_A"])),
                    .required("expires_in", .integer(minimum: 0, maximum: nil)),
                    .optional("refresh_token", .text), .optional("id_token", .text),
                    .optional("scope", .text), .optional("duties", .array(.text)),
                ])
            ), .tooManyRequests,
        ] + refusals
    )

    /// The pushed authorization request endpoint (RFC 9126).
    static let pushRequest = APIOperation(
        "pushOAuth2Request",
        "Stores an authorization request of a client (RFC 9126).",
        details:
            "The parameters are those of the authorization endpoint, and the client authenticates itself.",
        parameters: [.header("DPoP", "A DPoP proof, which binds the request to its key (RFC 9449).")],
        body: APIBody(
            schema: .object(
                [
                    .required("redirect_uri", .text), .required("response_type", .oneOf("code")),
                    .optional("client_id", .text), .optional("client_secret", .text),
                    .optional("scope", .text), .optional("state", .text), .optional("nonce", .text),
                    .optional("code_challenge", .text), .optional("code_challenge_method", .text),
                ],
                isOpen: true
            ),
            mediaTypes: [form]
        ),
        [
            APIResponse(
                201,
                "The URI of the request, which can be used once.",
                .object([
                    .required("request_uri", .text),
                    .required("expires_in", .integer(minimum: 0, maximum: nil)),
                ])
            ), .tooManyRequests,
        ] + refusals
    )

    /// The revocation endpoint (RFC 7009).
    ///
    /// The operation id is the same as in Ory Hydra.
    static let revokeToken = APIOperation(
        "revokeOAuth2Token",
        "Revokes a token of an OAuth client, or a session with its token (RFC 7009).",
        body: APIBody(
            schema: .object(
                [
                    .required("token", .text), .optional("client_id", .text),
                    .optional("client_secret", .text),
                ],
                isOpen: true
            ),
            mediaTypes: [form]
        ),
        [
            APIResponse(200, "The token is no longer valid, or never was. The object is empty.", .anyObject),
            .tooManyRequests,
        ] + refusals
    )

    /// The JSON Web Key Set for all tokens.
    ///
    /// The operation id is the same as in Ory Hydra.
    static let keySet = APIOperation(
        "discoverJsonWebKeys",
        "Returns the public keys that verify the server's tokens, as a JWK set (RFC 7517).",
        [
            APIResponse(
                200,
                "The JWK set.",
                .object([
                    .required(
                        "keys",
                        .array(
                            .either([
                                .object([
                                    .required("kty", .oneOf("EC")), .required("crv", .oneOf("P-256")),
                                    .required("x", .text), .required("y", .text),
                                    .required("use", .oneOf("sig")), .required("alg", .oneOf("ES256")),
                                    .required("kid", .text),
                                ]),
                                .object([
                                    .required("e", .text), .required("kty", .oneOf("RSA")),
                                    .required("n", .text), .required("use", .oneOf("sig")),
                                    .required("alg", .oneOf("RS256")), .required("kid", .text),
                                ]),
                            ])
                        )
                    )
                ])
            )
        ]
    )

    /// The userinfo endpoint (OpenID Connect Core, section 5.3).
    ///
    /// The operation id is the same as in Ory Hydra, with a suffix for the second method.
    static func userInfo(posting isPost: Bool) -> APIOperation {
        APIOperation(
            isPost ? "postOidcUserInfo" : "getOidcUserInfo",
            "Returns the claims of the user who has authorized the client.",
            parameters: [.header("DPoP", "The DPoP proof, for an access token that is bound to a key.")],
            [
                APIResponse(200, "The claims of the access token's scopes.", .anyObject),
                APIResponse(
                    400,
                    "The request contains more than one token, or a token outside of the header.",
                    .either([.component(.oauthError), .error])
                ),
                APIResponse(401, "The access token is missing or invalid.", .component(.oauthError)),
                APIResponse(
                    403,
                    "The access token lacks the scope `openid`, or the user has to complete a step first (`interaction_required`).",
                    .component(.oauthError)
                ),
            ]
        )
    }

    /// The metadata of the OpenID provider.
    ///
    /// The operation id is the same as in Ory Hydra.
    static let openIDConfiguration = APIOperation(
        "discoverOidcConfiguration",
        "Returns the metadata of the OpenID provider (OpenID Connect Discovery).",
        [APIResponse(200, "The metadata.", .anyObject)]
    )

    /// The authorization server metadata (RFC 8414).
    static let authorizationServer = APIOperation(
        "getAuthorizationServer",
        "Returns the authorization server metadata (RFC 8414).",
        [
            APIResponse(
                200,
                "The metadata.",
                .object(
                    ["issuer", "token_endpoint", "revocation_endpoint", "jwks_uri"].map {
                        .required($0, .text)
                    }
                        + [
                            "grant_types_supported", "response_types_supported",
                            "token_endpoint_auth_methods_supported",
                            "revocation_endpoint_auth_methods_supported", "dpop_signing_alg_values_supported",
                        ].map { .required($0, .array(.text)) },
                    isOpen: true
                )
            )
        ]
    )
}

extension JSONSchema.Property {
    /// The parameter that specifies which type of access token to issue.
    fileprivate static var tokenType: JSONSchema.Property {
        .optional(TokenRequest.tokenTypeParameter, .oneOf(AccessTokenType.allCases))
    }
}
