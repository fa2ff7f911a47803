package import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyWire

/// A proof of possession as it came (RFC 9449, section 4.2): of the right form and signed by the key that it names.
package struct PresentedProof: Sendable {
    private static let byteLimit = 8192

    /// The key that signed it.
    package let key: VerifyingKey

    let method: String
    let url: String
    let issuedAt: Timestamp?
    let nonce: String?

    /// What two copies of one proof have in common: r, which stays when somebody negates s.
    package let fingerprint: [UInt8]

    /// Reads the header fields of a request.
    package init(_ request: HTTPRequest) throws(OAuthError) {
        let fields = request.headers.all(DPoPProof.header)
        guard let text = fields.first else { throw Self.refusal("A proof of the device's key is missing.") }
        guard fields.count == 1, text.utf8.count <= Self.byteLimit, let jws = CompactJWS(text) else {
            throw Self.refusal("The proof is not one JWS in its compact form.")
        }
        key = try Self.key(header: jws.header)
        guard jws.isSigned(by: key) else { throw Self.refusal("The proof's signature is not its key's.") }
        guard
            let claims = try? JSONParser.parse(jws.payload),
            case .string(let method)? = claims["htm"], case .string(let url)? = claims["htu"],
            case .string(let id)? = claims["jti"], !id.isEmpty
        else { throw Self.refusal("The proof lacks jti, htm or htu.") }
        self.method = method
        self.url = url
        issuedAt = claims["iat"].flatMap(Self.time)
        if case .string(let nonce)? = claims["nonce"] { self.nonce = nonce } else { nonce = nil }
        fingerprint = Array(jws.signature.prefix(32))
    }

    static func refusal(_ reason: String) -> OAuthError {
        OAuthError(.invalidDPoPProof, reason)
    }

    private static func key(header: [UInt8]) throws(OAuthError) -> VerifyingKey {
        guard
            let header = try? JSONParser.parse(header),
            case .string(let type)? = header["typ"], type.equalsIgnoringASCIICase(DPoPProof.mediaType),
            header["alg"] == .string("ES256"), header["crit"] == nil
        else { throw refusal("The proof's header does not say \(DPoPProof.mediaType) and ES256.") }
        guard
            let jwk = header["jwk"], jwk["kty"] == .string("EC"), jwk["crv"] == .string("P-256"),
            jwk["d"] == nil,
            case .string(let x)? = jwk["x"], case .string(let y)? = jwk["y"],
            let x = Base64URL.decode(x), let y = Base64URL.decode(y),
            let key = try? VerifyingKey(x: x, y: y)
        else { throw refusal("The proof's header does not hold a public key on P-256.") }
        return key
    }

    private static func time(_ claim: OrderedJSON) -> Timestamp? {
        switch claim {
        case .integer(let seconds): Timestamp(seconds: seconds)
        case .double(let seconds) where abs(seconds) < 1e12:
            Timestamp(microseconds: Int64(seconds * 1_000_000))
        default: nil
        }
    }
}
