package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// A DPoP proof (RFC 9449, section 4.2) that is well-formed and was signed with the key in its header.
///
/// ``DPoPVerifier`` checks whether the proof is fresh and was created for the request.
package struct PresentedProof: Sendable {
    /// The maximum length of the header field in bytes.
    ///
    /// The length is checked before the proof is parsed.
    private static let byteLimit = 8192

    /// The public key from the header.
    package let key: VerifyingKey

    /// The `htm` claim, which hasn't been checked yet.
    package let method: String
    /// The `htu` claim, which hasn't been checked yet.
    package let url: String
    /// The `iat` claim, or `nil` if it is missing or isn't a valid time.
    package let issuedAt: Timestamp?
    /// The `nonce` claim, which hasn't been checked yet, or `nil` if it is missing.
    package let nonce: String?

    /// The `ath` claim, which is the hash of the access token in base64url, or `nil` if it is missing.
    package let accessTokenHash: String?

    /// Identifies copies of the same proof.
    ///
    /// The fingerprint is the `r` component of the ECDSA signature, which stays the same if an attacker
    /// negates `s`.
    package let fingerprint: [UInt8]

    /// Parses the proof in a request's header fields and verifies its signature.
    ///
    /// The `jti`, `htm` and `htu` claims must be strings. This initializer doesn't compare the claims with
    /// the request.
    ///
    /// - Throws: ``OAuthError`` if the number of proofs isn't one, or if the proof is malformed or wasn't
    ///   signed with its key.
    package init(_ request: HTTP.Request) throws(OAuthError) {
        let fields = request.headers.all(DPoPProof.header)
        guard let text = fields.first else {
            throw Self.refusal("The DPoP header field with a proof for the device key is missing.")
        }
        guard fields.count == 1, text.utf8.count <= Self.byteLimit, let jws = CompactJWS(text) else {
            throw Self.refusal("The DPoP proof must be a single JWS in compact serialization.")
        }
        key = try Self.key(header: jws.header)
        guard jws.isSigned(by: key) else { throw Self.refusal("The signature of the DPoP proof is invalid.") }
        guard
            let claims = try? JSONParser.parse(jws.payload),
            case .string(let method)? = claims["htm"], case .string(let url)? = claims["htu"],
            case .string(let id)? = claims["jti"], !id.isEmpty
        else { throw Self.refusal("The DPoP proof must contain the claims jti, htm and htu.") }
        self.method = method
        self.url = url
        issuedAt = claims["iat"].flatMap(Self.time)
        if case .string(let nonce)? = claims["nonce"] { self.nonce = nonce } else { nonce = nil }
        if case .string(let hash)? = claims["ath"] { accessTokenHash = hash } else { accessTokenHash = nil }
        fingerprint = Array(jws.signature.prefix(32))
    }

    /// Returns the error for an invalid proof (RFC 9449, section 5).
    ///
    /// The error code is `invalid_dpop_proof`. The reason is a sentence for developers.
    package static func refusal(_ reason: String) -> OAuthError {
        OAuthError(.invalidDPoPProof, reason: reason)
    }

    /// Returns the public key from a proof's header.
    ///
    /// The header must specify ES256 and contain a P-256 key without its private part.
    private static func key(header: [UInt8]) throws(OAuthError) -> VerifyingKey {
        guard
            let header = try? JSONParser.parse(header),
            case .string(let type)? = header["typ"], type.equalsIgnoringASCIICase(DPoPProof.mediaType),
            header["alg"] == .string("ES256"), header["crit"] == nil
        else { throw refusal("The DPoP proof's header must have typ \(DPoPProof.mediaType) and alg ES256.") }
        guard
            let jwk = header["jwk"], jwk["kty"] == .string("EC"), jwk["crv"] == .string("P-256"),
            jwk["d"] == nil,
            case .string(let x)? = jwk["x"], case .string(let y)? = jwk["y"],
            let x = Base64URL.decode(x), let y = Base64URL.decode(y),
            let key = try? VerifyingKey(x: x, y: y)
        else { throw refusal("The DPoP proof's header must contain a public key on P-256 (jwk).") }
        return key
    }

    /// Converts a number of seconds since 1970, with or without a fraction, to a timestamp.
    ///
    /// Returns `nil` for other JSON values.
    private static func time(_ claim: OrderedJSON) -> Timestamp? {
        switch claim {
        case .integer(let seconds): Timestamp(seconds: seconds)
        case .double, .number:
            claim.unordered.number.flatMap { seconds in
                abs(seconds) < 1e12 ? Timestamp(microseconds: Int64(seconds * 1_000_000)) : nil
            }
        default: nil
        }
    }
}
