import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// The media type that request bodies of the OAuth endpoints must have.
    private static let form = "application/x-www-form-urlencoded"
    /// The error responses that the token and revocation endpoints have in common.
    private static let refusals: [APIResponse] = [
        APIResponse(
            400,
            "An OAuth error, for example because the body is not a form.",
            .either([.component(.oauthError), .error])
        ),
        APIResponse(401, "`invalid_client`: the client_id is unknown.", .component(.oauthError)),
        APIResponse(413, "The body is too large.", .either([.component(.oauthError), .error])),
    ]

    /// The token endpoint (RFC 6749, section 3.2).
    ///
    /// The operation id is the same as in Ory Hydra.
    static let makeTokens = APIOperation(
        "oauth2TokenExchange",
        "Creates a token pair for a session with a device certificate, or refreshes a token pair.",
        details:
            "RFC 8693 and RFC 6749, section 6, with proof of possession of the device key in the DPoP header (RFC 9449).",
        parameters: [.header("DPoP", "The DPoP proof.")],
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
                        .required("grant_type", .oneOf(TokenRequest.Grant.refreshToken.rawValue)),
                        .required("refresh_token", .text), .optional("client_id", .text), .tokenType,
                    ],
                    isOpen: true
                ),
            ]),
            mediaTypes: [form]
        ),
        [
            APIResponse(
                200,
                "The token pair.",
                .object([
                    .required("access_token", .text),
                    .optional("issued_token_type", .oneOf(TokenType.accessToken.rawValue)),
                    .required("token_type", .oneOf(AccessTokenType.allCases)),
                    .required("expires_in", .integer(minimum: 0, maximum: nil)),
                    .required("refresh_token", .text),
                ])
            ), .tooManyRequests,
        ] + refusals
    )

    /// The revocation endpoint (RFC 7009).
    ///
    /// The operation id is the same as in Ory Hydra.
    static let revokeToken = APIOperation(
        "revokeOAuth2Token",
        "Revokes a token and its session (RFC 7009).",
        body: APIBody(
            schema: .object(
                [.required("token", .text), .optional("client_id", .text)],
                isOpen: true
            ),
            mediaTypes: [form]
        ),
        [APIResponse(200, "The token is no longer valid, or never was. The object is empty.", .anyObject)]
            + refusals
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
                        ].map { .required($0, .array(.text)) }
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
