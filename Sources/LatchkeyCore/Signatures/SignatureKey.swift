import LatchkeyModel
package import LatchkeyWire

/// A public key with its signature algorithm.
///
/// The algorithm belongs to the key, so that a token cannot choose another one.
public enum SignatureKey: Hashable, Sendable {
    /// ECDSA on P-256 with SHA-256 (RFC 7518, section 3.4): the coordinates of the point, 32 bytes each.
    case es256(x: [UInt8], y: [UInt8])

    /// RSA with PKCS #1 v1.5 padding and SHA-256 (RFC 7518, section 3.3): two numbers, most significant byte
    /// first.
    case rs256(modulus: [UInt8], exponent: [UInt8])

    /// The sizes of an RSA modulus in bits that are accepted: smaller keys are insecure, and larger ones would
    /// let an issuer keep the device busy.
    private static let modulusBits = 2048...8192

    /// Whether the key has the form that its algorithm requires.
    ///
    /// An implementation of ``SignatureVerifier`` still has to check that a point is on the curve.
    public var isWellFormed: Bool {
        switch self {
        case .es256(let x, let y): x.count == 32 && y.count == 32
        case .rs256(let modulus, let exponent):
            // An odd exponent of at least 3 and at most 32 bits, as RSA implementations require.
            Self.modulusBits.contains(Self.bits(of: modulus))
                && (2...32).contains(Self.bits(of: exponent)) && exponent.last.map { $0 & 1 } == 1
        }
    }

    /// Creates a key from a JSON Web Key (RFC 7517).
    ///
    /// - Parameter jwk: The JSON Web Key. The result is `nil` if it has another type, curve or algorithm, is
    ///   not meant for signatures, or is not well-formed.
    package init?(jwk: JSONValue) {
        guard jwk["use"].map({ $0.text == "sig" }) ?? true else { return nil }
        let algorithm = jwk["alg"]?.text
        switch jwk["kty"]?.text {
        case "EC" where jwk["crv"]?.text == "P-256" && (algorithm ?? "ES256") == "ES256":
            guard let x = Self.bytes(jwk["x"]), let y = Self.bytes(jwk["y"]) else { return nil }
            self = .es256(x: x, y: y)
        case "RSA" where (algorithm ?? "RS256") == "RS256":
            guard let modulus = Self.bytes(jwk["n"]), let exponent = Self.bytes(jwk["e"]) else { return nil }
            self = .rs256(modulus: modulus, exponent: exponent)
        default: return nil
        }
        guard isWellFormed else { return nil }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.text.flatMap { Base64URL.decode($0) }
    }

    /// Returns the number of significant bits of a number.
    private static func bits(of number: [UInt8]) -> Int {
        let digits = number.drop { $0 == 0 }
        guard let first = digits.first else { return 0 }
        return digits.count * 8 - first.leadingZeroBitCount
    }
}
