package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// A DPoP proof (RFC 9449, section 4.2) that is well-formed and signed by the key in its header.
///
/// ``DPoPVerifier`` verifies that the proof is fresh and was created for the request.
package struct PresentedProof: Sendable {
    /// The maximum length of the header field in bytes, which is checked before the field is parsed.
    private static let byteLimit = 8192

    /// The public key in the header, which verifies the signature.
    package let key: VerifyingKey

    /// The claim `htm`, which is not verified yet.
    package let method: String
    /// The claim `htu`, which is not verified yet.
    package let url: String
    /// The claim `iat`; `nil` if it is missing or not a valid time.
    package let issuedAt: Timestamp?
    /// The claim `nonce`, which is not verified yet; `nil` if it is missing.
    package let nonce: String?

    /// The claim `ath`, the hash of the access token in base64url; `nil` if it is missing.
    package let accessTokenHash: String?

    /// The value that identifies copies of a proof: the component `r` of its ECDSA signature, which does not
    /// change if an attacker negates `s`.
    package let fingerprint: [UInt8]

    /// Parses the proof in the header fields of a request and verifies its signature.
    ///
    /// The claims `jti`, `htm` and `htu` must be strings; this initializer does not compare them with the
    /// request.
    ///
    /// - Throws: ``OAuthError`` if there is not exactly one proof, or if the proof is malformed or not signed
    ///   by its key.
    package init(_ request: HTTP.Request) throws(OAuthError) {
        let fields = request.headers.all(DPoPProof.header)
        guard let text = fields.first else {
            throw Self.refusal("The DPoP header with a proof for the device key is missing.")
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
        else { throw Self.refusal("The DPoP proof lacks the claim jti, htm or htu.") }
        self.method = method
        self.url = url
        issuedAt = claims["iat"].flatMap(Self.time)
        if case .string(let nonce)? = claims["nonce"] { self.nonce = nonce } else { nonce = nil }
        if case .string(let hash)? = claims["ath"] { accessTokenHash = hash } else { accessTokenHash = nil }
        fingerprint = Array(jws.signature.prefix(32))
    }

    /// Returns the error for an invalid proof (RFC 9449, section 5).
    ///
    /// The code is `invalid_dpop_proof`; the reason is a sentence for developers.
    package static func refusal(_ reason: String) -> OAuthError {
        OAuthError(.invalidDPoPProof, reason: reason)
    }

    /// Returns the public key in the header of a proof, which must specify ES256 and a P-256 key without its
    /// private part.
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

    /// Returns the time for a number of seconds since the epoch, with or without a fraction.
    ///
    /// Other JSON values result in `nil`.
    private static func time(_ claim: OrderedJSON) -> Timestamp? {
        switch claim {
        case .integer(let seconds): Timestamp(seconds: seconds)
        case .double(let seconds) where abs(seconds) < 1e12:
            Timestamp(microseconds: Int64(seconds * 1_000_000))
        default: nil
        }
    }
}
