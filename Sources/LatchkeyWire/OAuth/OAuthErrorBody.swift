/// The body of an OAuth error response (RFC 6749, section 5.2).
package struct OAuthErrorBody: Sendable, Codable {
    /// A stable OAuth error code.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The code as it appears in JSON.
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request is malformed.
        ///
        /// In a token exchange, this code can also mean that the session token isn't valid (RFC 8693,
        /// section 2.2.2).
        package static let invalidRequest = Code(rawValue: "invalid_request")
        /// The server doesn't know this client.
        package static let invalidClient = Code(rawValue: "invalid_client")
        /// The refresh token or its session has expired or was revoked.
        ///
        /// This is the only error that ends the session.
        package static let invalidGrant = Code(rawValue: "invalid_grant")
        /// The token endpoint doesn't support this grant type.
        package static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        /// The requested scope is unknown or exceeds what was granted.
        package static let invalidScope = Code(rawValue: "invalid_scope")
        /// The requested audience is not allowed (RFC 8693).
        package static let invalidTarget = Code(rawValue: "invalid_target")
        /// The user has to complete a step before the server issues tokens (OpenID Connect Core, section
        /// 3.1.2.6).
        ///
        /// The error doesn't affect the session. The code, the refresh token and the proof can be used again.
        package static let interactionRequired = Code(rawValue: "interaction_required")
        /// The proof of possession is missing, invalid or signed with a different key (RFC 9449).
        ///
        /// The error doesn't affect the session.
        package static let invalidDPoPProof = Code(rawValue: "invalid_dpop_proof")
        /// The server can't tell when the proof was created.
        ///
        /// The client should try again with the nonce in the response header (RFC 9449).
        package static let useDPoPNonce = Code(rawValue: "use_dpop_nonce")
    }

    /// The error code.
    ///
    /// Clients use the code to decide what to do.
    package var error: Code
    /// A description of the error for developers.
    package var errorDescription: String?
    /// The name of the step that the user has to complete first, as in ``Duty/Kind``.
    package var duty: String?

    /// Creates an error response.
    ///
    /// The description must not contain any tokens.
    package init(error: Code, errorDescription: String? = nil, duty: String? = nil) {
        self.error = error
        self.errorDescription = errorDescription
        self.duty = duty
    }

    private enum CodingKeys: String, CodingKey {
        case error, duty
        case errorDescription = "error_description"
    }

    /// The response body, encoded as JSON.
    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("error")
            writer.string(error.rawValue)
            if let errorDescription {
                writer.name("error_description")
                writer.string(errorDescription)
            }
            if let duty {
                writer.name("duty")
                writer.string(duty)
            }
        }
        return writer.bytes
    }
}
