import LatchkeyModel
package import LatchkeyWire

/// A public key and the signature algorithm that it must be used with.
///
/// The algorithm is part of the key, so that a token can't choose a different one.
public enum SignatureKey: Hashable, Sendable {
    /// An ECDSA key on P-256 for signatures with SHA-256 (RFC 7518, section 3.4). The coordinates are 32
    /// bytes each.
    case es256(x: [UInt8], y: [UInt8])

    /// An RSA key for signatures with PKCS #1 v1.5 padding and SHA-256 (RFC 7518, section 3.3). Both numbers
    /// start with the most significant byte.
    case rs256(modulus: [UInt8], exponent: [UInt8])

    /// The allowed sizes of an RSA modulus in bits.
    ///
    /// Smaller keys are insecure, and an issuer could use larger keys to keep the device busy.
    private static let modulusBits = 2048...8192

    /// Whether the key has the format that its algorithm requires.
    ///
    /// This property doesn't check whether a point is on the curve, so implementations of
    /// ``SignatureVerifier`` have to do that.
    public var isWellFormed: Bool {
        switch self {
        case .es256(let x, let y): x.count == 32 && y.count == 32
        case .rs256(let modulus, let exponent):
            // RSA implementations require that the exponent is odd, at least 3, and not longer than 32 bits.
            Self.modulusBits.contains(Self.bits(of: modulus))
                && (2...32).contains(Self.bits(of: exponent)) && exponent.last.map { $0 & 1 } == 1
        }
    }

    /// Creates a key from a JSON Web Key (RFC 7517).
    ///
    /// Returns `nil` if the key can't be used.
    ///
    /// - Parameter jwk: The JSON Web Key, which must be well-formed, intended for signatures, and have a
    ///   supported type, curve and algorithm.
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

    /// Returns the number of significant bits in a number.
    private static func bits(of number: [UInt8]) -> Int {
        let digits = number.drop { $0 == 0 }
        guard let first = digits.first else { return 0 }
        return digits.count * 8 - first.leadingZeroBitCount
    }
}
