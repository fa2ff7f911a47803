package import LatchkeyModel

/// A JSON Web Signature in its compact form (RFC 7515): header, payload and signature, with dots between them.
///
/// It knows bytes only; what a header or a payload must hold is for those to say who read it.
package struct CompactJWS: Sendable {
    /// The header as it was written: JSON.
    package let header: [UInt8]

    /// The payload as it was written.
    package let payload: [UInt8]

    /// The signature: r and s of 32 bytes each, for ES256.
    package let signature: [UInt8]

    /// What the signature is over.
    package let signingInput: [UInt8]

    /// Takes a text apart; nothing when it is not three parts of Base64URL.
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

    /// Tells whether the signature is a key's (ES256 of RFC 7518).
    package func isSigned(by key: VerifyingKey) -> Bool {
        key.isValid(raw: signature, for: signingInput)
    }

    /// Signs (ES256 of RFC 7518).
    ///
    /// - Parameters:
    ///   - payload: What to sign.
    ///   - header: JSON that names the algorithm.
    ///   - key: The key.
    /// - Returns: The compact form.
    /// - Throws: ``CryptoError`` when OpenSSL fails.
    package static func sign(
        _ payload: [UInt8],
        header: [UInt8],
        with key: SigningKey
    ) throws(CryptoError) -> Secret {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return Secret(input + "." + Base64URL.encode(try key.rawSignature(for: Array(input.utf8))))
    }
}
