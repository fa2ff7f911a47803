/// An error response of the OAuth endpoints (RFC 6749, section 5.2).
package struct OAuthErrorBody: Sendable, Codable {
    /// A stable error code.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request is malformed; in a token exchange also: the session token is not valid (RFC 8693,
        /// 2.2.2).
        package static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is unknown to the server.
        package static let invalidClient = Code(rawValue: "invalid_client")
        /// The refresh token or its session has expired or was revoked: the only error that ends a session.
        package static let invalidGrant = Code(rawValue: "invalid_grant")
        package static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        package static let invalidScope = Code(rawValue: "invalid_scope")
        /// The requested audience of the tokens is not allowed (RFC 8693).
        package static let invalidTarget = Code(rawValue: "invalid_target")
        /// The proof is missing, invalid or signed by another key (RFC 9449).
        ///
        /// Does not affect the session.
        package static let invalidDPoPProof = Code(rawValue: "invalid_dpop_proof")
        /// The time of the proof cannot be verified: retry with the nonce from the response header (RFC
        /// 9449).
        package static let useDPoPNonce = Code(rawValue: "use_dpop_nonce")
    }

    package var error: Code
    /// A description for developers.
    package var errorDescription: String?

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
