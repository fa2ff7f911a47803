/// The body of an OAuth error response (RFC 6749, section 5.2).
package struct OAuthErrorBody: Sendable, Codable {
    /// A stable error code.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The code as it appears in the JSON.
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request is malformed, or the session token in a token exchange is not valid (RFC 8693, section
        /// 2.2.2).
        package static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is unknown to the server.
        package static let invalidClient = Code(rawValue: "invalid_client")
        /// The refresh token or its session has expired or was revoked; no other error ends the session.
        package static let invalidGrant = Code(rawValue: "invalid_grant")
        /// The token endpoint does not support the grant type.
        package static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        /// The requested scope is unknown or exceeds what the grant allows.
        package static let invalidScope = Code(rawValue: "invalid_scope")
        /// The requested audience is not allowed (RFC 8693).
        package static let invalidTarget = Code(rawValue: "invalid_target")
        /// The proof is missing, invalid or signed with another key (RFC 9449).
        ///
        /// The error does not affect the session.
        package static let invalidDPoPProof = Code(rawValue: "invalid_dpop_proof")
        /// The server cannot verify the time of the proof; the client retries with the nonce from the
        /// response header (RFC 9449).
        package static let useDPoPNonce = Code(rawValue: "use_dpop_nonce")
    }

    /// The code, which tells clients how to react.
    package var error: Code
    /// A description for developers.
    package var errorDescription: String?

    /// Creates the body; the description must not contain a token.
    package init(error: Code, errorDescription: String? = nil) {
        self.error = error
        self.errorDescription = errorDescription
    }

    private enum CodingKeys: String, CodingKey {
        case error
        case errorDescription = "error_description"
    }

    /// The encoded response body.
    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("error")
            writer.string(error.rawValue)
            if let errorDescription {
                writer.name("error_description")
                writer.string(errorDescription)
            }
        }
        return writer.bytes
    }
}
