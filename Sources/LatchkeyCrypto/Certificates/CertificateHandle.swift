import COpenSSL

/// Owns an `X509`.
///
/// `@unchecked Sendable` is safe because the certificate is not modified after initialization, and OpenSSL
/// protects its cache of parsed extensions with its own lock.
final class CertificateHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Parses a certificate from DER.
    ///
    /// Throws `malformed` if there are trailing bytes.
    init(der: [UInt8]) throws(CryptoError) {
        guard let certificate = DER.decode(der, with: { d2i_X509(nil, $0, $1) }, free: { X509_free($0) })
        else { throw .openSSL(.malformed, message: "The text does not contain a certificate.") }
        pointer = certificate
    }

    /// Takes ownership of a reference to a certificate, which must not be modified afterwards.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }
}
