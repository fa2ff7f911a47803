import LatchkeyModel

/// A private key for JSON Web Signatures, which is used with a single algorithm.
package enum JWSSigningKey: Sendable {
    case es256(SigningKey)
    case rs256(RSASigningKey)

    package var publicKey: JWSVerifyingKey {
        switch self {
        case .es256(let key): .es256(key.publicKey)
        case .rs256(let key): .rs256(key.publicKey)
        }
    }

    package var algorithm: SigningAlgorithm { publicKey.algorithm }

    /// Parses a key from PKCS#8 in DER format.
    ///
    /// - Throws: ``CryptoError`` if the encoding is invalid or if the key is for another algorithm.
    package init(pkcs8 der: [UInt8], algorithm: SigningAlgorithm) throws(CryptoError) {
        switch algorithm {
        case .es256: self = .es256(try SigningKey(pkcs8: der))
        case .rs256: self = .rs256(try RSASigningKey(pkcs8: der))
        }
    }

    /// Returns the key as PKCS#8 in DER format, which the caller must keep secret.
    package func pkcs8() throws(CryptoError) -> [UInt8] {
        switch self {
        case .es256(let key): try key.pkcs8()
        case .rs256(let key): try key.pkcs8()
        }
    }

    func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch self {
        case .es256(let key): try key.rawSignature(for: message)
        case .rs256(let key): try key.signature(for: message)
        }
    }
}

/// A public key for JSON Web Signatures, which is used with a single algorithm.
///
/// The algorithm belongs to the key, so that the header of a token can't choose another one.
package enum JWSVerifyingKey: Hashable, Sendable {
    case es256(VerifyingKey)
    case rs256(RSAVerifyingKey)

    package var algorithm: SigningAlgorithm {
        switch self {
        case .es256: .es256
        case .rs256: .rs256
        }
    }

    /// The key as SubjectPublicKeyInfo in DER format.
    package var der: [UInt8] {
        switch self {
        case .es256(let key): key.der
        case .rs256(let key): key.der
        }
    }

    /// The key as a JSON Web Key, in the form from which RFC 7638 computes the thumbprint.
    package var jwk: String {
        switch self {
        case .es256(let key): key.jwk
        case .rs256(let key): key.jwk
        }
    }

    /// The SHA-256 hash of ``jwk`` (RFC 7638).
    package var jwkThumbprint: [UInt8] { SHA256.hash(Array(jwk.utf8)) }

    /// Parses a key from SubjectPublicKeyInfo in DER format.
    ///
    /// - Throws: ``CryptoError`` if the encoding is invalid or if the key is for another algorithm.
    package init(der: [UInt8], algorithm: SigningAlgorithm) throws(CryptoError) {
        switch algorithm {
        case .es256: self = .es256(try VerifyingKey(der: der))
        case .rs256: self = .rs256(try RSAVerifyingKey(der: der))
        }
    }

    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch self {
        case .es256(let key): key.isValid(raw: signature, for: message)
        case .rs256(let key): key.isValid(signature, for: message)
        }
    }
}
