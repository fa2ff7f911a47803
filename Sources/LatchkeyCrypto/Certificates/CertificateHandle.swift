import COpenSSL

/// Owns an `X509`.
///
/// `@unchecked Sendable`: it is never changed after it came here; what OpenSSL derives from its extensions
/// is cached under a lock of its own.
final class CertificateHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(der: [UInt8]) throws(CryptoError) {
        guard let certificate = DER.decode(der, { d2i_X509(nil, $0, $1) }, free: { X509_free($0) })
        else { throw .openSSL(.malformed, "The text holds no certificate.") }
        pointer = certificate
    }

    /// Takes over a reference to a certificate that nobody will change any more.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }
}
