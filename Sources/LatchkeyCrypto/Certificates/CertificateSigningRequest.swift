import COpenSSL

/// A well-formed certificate signing request (PKCS#10, RFC 2986).
///
/// The signature has not been verified yet.
package struct CertificateSigningRequest: Sendable {
    /// The maximum size of a request in PEM format, in bytes.
    package static let byteLimit = 16 * 1024

    private static let label = "CERTIFICATE REQUEST"

    private let handle: RequestHandle
    private let publicKey: VerifyingKey

    /// Parses a request from PEM text with a single block.
    ///
    /// The request must be for a P-256 key and be signed using ECDSA with SHA-256.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if the request cannot be parsed, or
    ///   ``CryptoError/Code/unsupported`` if its key type or signature algorithm is not supported.
    package init(pem: String) throws(CryptoError) {
        try self.init(der: PEM(pem, label: Self.label, limit: Self.byteLimit).der)
    }

    /// Parses a request from DER.
    ///
    /// The request must be for a P-256 key and be signed using ECDSA with SHA-256.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if the request cannot be parsed, or
    ///   ``CryptoError/Code/unsupported`` if its key type or signature algorithm is not supported.
    package init(der: [UInt8]) throws(CryptoError) {
        handle = try RequestHandle(der: der)
        guard X509_REQ_get_version(handle.pointer) == 0 else {
            throw CryptoError(.malformed, "The certificate signing request must have version 1.")
        }
        guard let key = X509_REQ_get_pubkey(handle.pointer) else {
            throw .openSSL(
                .unsupported,
                message: "The key in the certificate signing request cannot be decoded."
            )
        }
        publicKey = try VerifyingKey(
            KeyHandle(owning: key),
            encoding: X509_REQ_get_X509_PUBKEY(handle.pointer)
        )
        guard X509_REQ_get_signature_nid(handle.pointer) == NID_ecdsa_with_SHA256 else {
            throw CryptoError(
                .unsupported,
                "The certificate signing request must be signed with ECDSA and SHA-256."
            )
        }
    }

    /// Verifies that the request was signed with the private key for the public key it contains.
    ///
    /// - Throws: ``CryptoError/Code/mismatch`` if the request was signed with another key.
    package func verified() throws(CryptoError) -> Verified {
        guard X509_REQ_verify(handle.pointer, publicKey.handle.pointer) == 1 else {
            throw CryptoError(
                .mismatch,
                "The signature of the certificate signing request does not match its key."
            )
        }
        return Verified(publicKey: publicKey)
    }

    /// A request whose sender has proven possession of the private key.
    ///
    /// Only the public key is exposed because issuers use no other part of a request.
    package struct Verified: Sendable {
        /// The public key to certify.
        package let publicKey: VerifyingKey

        fileprivate init(publicKey: VerifyingKey) {
            self.publicKey = publicKey
        }
    }

    /// Creates a request for a key and signs the request with that key.
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name, which must have 1 to 64 characters.
    ///   - key: The key to certify, which also signs the request.
    /// - Returns: The request in PEM format.
    /// - Throws: ``CryptoError/Code/malformed`` if the name is empty or too long.
    package static func pem(commonName: String, key: SigningKey) throws(CryptoError) -> String {
        guard let request = X509_REQ_new() else {
            throw .openSSL(.failed, message: "The certificate signing request cannot be created.")
        }
        defer { X509_REQ_free(request) }
        guard
            X509_REQ_set_version(request, 0) == 1,
            let subject = X509_REQ_get_subject_name(request)
        else { throw .openSSL(.failed, message: "The certificate signing request cannot be created.") }
        try DistinguishedName.setCommonName(commonName, of: subject)
        guard
            X509_REQ_set_pubkey(request, key.handle.pointer) == 1,
            X509_REQ_sign(request, key.handle.pointer, EVP_sha256()) > 0
        else { throw .openSSL(.failed, message: "The certificate signing request cannot be signed.") }
        return PEM(label: label, der: try DER.encode { i2d_X509_REQ(request, $0) }).text
    }
}
