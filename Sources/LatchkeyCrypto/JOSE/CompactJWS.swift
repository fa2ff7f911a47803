package import LatchkeyModel

/// A JSON Web Signature in compact serialization (RFC 7515).
///
/// The text consists of a header, a payload and a signature, separated by dots.
///
/// This type doesn't interpret the header or the payload. The caller must validate their contents.
package struct CompactJWS: Sendable {
    /// The decoded header, which is JSON text.
    package let header: [UInt8]

    /// The decoded payload.
    package let payload: [UInt8]

    /// The decoded signature.
    ///
    /// An ES256 signature consists of r and s, each 32 bytes long. An RS256 signature has the length of the
    /// modulus.
    package let signature: [UInt8]

    /// The bytes that are signed, which are the encoded header, a dot and the encoded payload.
    package let signingInput: [UInt8]

    /// Splits and decodes a string.
    ///
    /// The result is `nil` unless the string consists of three Base64URL parts. Only the payload may be
    /// empty.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard
            parts.count == 3,
            let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            !header.isEmpty, !signature.isEmpty
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
        signingInput = Array(bytes[..<parts[1].endIndex])
    }

    /// Returns whether the signature was created with the private key for a public key (ES256, RFC 7518).
    ///
    /// The header is not read, so the caller must check that it specifies ES256 and the expected type.
    package func isSigned(by key: VerifyingKey) -> Bool {
        isSigned(by: .es256(key))
    }

    /// Returns whether the signature was created with the private key for a public key.
    ///
    /// The header is not read, so the caller must check that it specifies the key's algorithm and the expected
    /// type.
    package func isSigned(by key: JWSVerifyingKey) -> Bool {
        key.isValid(signature, for: signingInput)
    }

    /// Signs a payload (ES256, RFC 7518).
    ///
    /// - Parameters:
    ///   - payload: The bytes to sign.
    ///   - header: The header as JSON, which must specify the algorithm (`alg`).
    ///   - key: The private key to sign with.
    /// - Returns: The signature in compact serialization.
    /// - Throws: ``CryptoError`` if OpenSSL fails.
    package static func sign(
        _ payload: [UInt8],
        header: [UInt8],
        with key: SigningKey
    ) throws(CryptoError) -> Secret {
        try sign(payload, header: header, with: .es256(key))
    }

    /// Signs a payload with the key's algorithm.
    ///
    /// - Parameters:
    ///   - payload: The bytes to sign.
    ///   - header: The header as JSON, which must specify the key's algorithm (`alg`).
    ///   - key: The private key to sign with.
    /// - Returns: The signature in compact serialization.
    /// - Throws: ``CryptoError`` if OpenSSL fails.
    package static func sign(
        _ payload: [UInt8],
        header: [UInt8],
        with key: JWSSigningKey
    ) throws(CryptoError) -> Secret {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return Secret(input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8))))
    }
}
