import COpenSSL

/// A P-256 public key.
package struct VerifyingKey: Sendable {
    let handle: KeyHandle

    /// The key as SubjectPublicKeyInfo (RFC 5280) in DER format, with a named curve and an uncompressed
    /// point.
    package let der: [UInt8]

    /// The uncompressed point, which consists of the byte 0x04 followed by x and y.
    package var point: [UInt8] { Array(der.suffix(65)) }

    /// The SHA-256 hash of ``der``.
    package var thumbprint: [UInt8] { SHA256.hash(der) }

    // The prefix of every accepted key, which is SEQUENCE { SEQUENCE { id-ecPublicKey, prime256v1 }, BIT
    // STRING { 04 ….
    static let prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// Creates a key from an OpenSSL key.
    ///
    /// Throws `unsupported` if the key is not a P-256 key.
    init(_ handle: KeyHandle) throws(CryptoError) {
        try self.init(handle, der: DER.encode { i2d_PUBKEY(handle.pointer, $0) })
    }

    /// Creates a key from the public key in a certificate or a certificate signing request.
    ///
    /// `handle` is the decoded key, and `encoding` is the `X509_PUBKEY` that it was decoded from.
    ///
    /// Encoding the decoded key again would take as long as verifying a signature.
    init(_ handle: KeyHandle, encoding: OpaquePointer?) throws(CryptoError) {
        try self.init(handle, der: DER.encode { i2d_X509_PUBKEY(encoding, $0) })
    }

    private init(_ handle: KeyHandle, der: [UInt8]) throws(CryptoError) {
        guard der.count == 91, der.starts(with: Self.prefix) else {
            throw CryptoError(.unsupported, "The key is not on the curve P-256.")
        }
        self.handle = handle
        self.der = der
    }

    /// Parses a key from SubjectPublicKeyInfo in DER format.
    ///
    /// Only the encoding with a named curve and an uncompressed point is accepted, so each key has exactly
    /// one ``thumbprint``.
    ///
    /// - Throws: ``CryptoError/Code/unsupported`` if the curve or encoding is different, or
    ///   ``CryptoError/Code/malformed`` if the point is not on the curve.
    package init(der: [UInt8]) throws(CryptoError) {
        guard der.count == 91, der.starts(with: Self.prefix) else {
            throw CryptoError(.unsupported, "The key is not on the curve P-256.")
        }
        try self.init(PublicKeyPool.shared.key(point: Array(der.suffix(65))), der: der)
    }

    /// Returns whether a message's DER-encoded signature is valid for this key (ECDSA with SHA-256).
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Returns whether a message's ES256 signature is valid for this key (RFC 7518: r and s with 32 bytes
    /// each).
    package func isValid(raw signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let der = ECDSASignature(raw: signature)?.der else { return false }
        return isValid(der, for: message)
    }
}

extension VerifyingKey: Hashable {
    /// Returns whether two keys have the same encoding.
    package static func == (left: VerifyingKey, right: VerifyingKey) -> Bool { left.der == right.der }

    /// Hashes the key's encoding.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
