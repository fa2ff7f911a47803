/// A refusal of the OAuth endpoints (RFC 6749, section 5.2).
package struct OAuthErrorBody: Sendable, Codable {
    /// The stable name of a refusal.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request is not understood; in an exchange also: the session token is no good (RFC 8693, 2.2.2).
        package static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is not one that the server knows.
        package static let invalidClient = Code(rawValue: "invalid_client")
        /// The refresh token, or the session that it belongs to, is over: the one verdict that ends a session.
        package static let invalidGrant = Code(rawValue: "invalid_grant")
        package static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        package static let invalidScope = Code(rawValue: "invalid_scope")
        /// The tokens are wanted for somebody that they are not for (RFC 8693).
        package static let invalidTarget = Code(rawValue: "invalid_target")
        /// The proof is missing, damaged or of another key (RFC 9449).
        ///
        /// Says nothing about the session.
        package static let invalidDPoPProof = Code(rawValue: "invalid_dpop_proof")
        /// The proof's time cannot be judged: repeat it with the nonce in the answer's header (RFC 9449).
        package static let useDPoPNonce = Code(rawValue: "use_dpop_nonce")
    }

    package var error: Code
    /// For developers.
    package var errorDescription: String?

    package init(error: Code, errorDescription: String? = nil) {
        self.error = error
        self.errorDescription = errorDescription
    }

    private enum CodingKeys: String, CodingKey {
        case error
        case errorDescription = "error_description"
    }

    /// The answer's body.
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
