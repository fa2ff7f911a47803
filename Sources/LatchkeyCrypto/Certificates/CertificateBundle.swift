import COpenSSL

/// A file of concatenated certificates in PEM format, such as the trusted certificates of a TLS client.
package enum CertificateBundle {
    /// Parses a bundle.
    ///
    /// Text and other PEM blocks between the certificates are ignored. The keys of the certificates can be of
    /// any type.
    ///
    /// - Parameter bytes: The contents of the file.
    /// - Returns: The number of certificates, which is at least 1.
    /// - Throws: ``CryptoError/Code/malformed`` if there are no certificates, or if one of them is damaged.
    @discardableResult
    package static func count(in bytes: [UInt8]) throws(CryptoError) -> Int {
        defer { ERR_clear_error() }
        guard let length = Int32(exactly: bytes.count) else {
            throw CryptoError(.malformed, "The file is too large.")
        }
        let bio = bytes.isEmpty ? nil : BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard let bio, BIO_write(bio, bytes, length) == length else {
            throw CryptoError(.malformed, "The file contains no PEM certificates.")
        }
        ERR_clear_error()
        var count = 0
        while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) {
            X509_free(certificate)
            count += 1
        }
        // The end of the file is reported as a missing start line.
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        guard reason == "no start line" else {
            throw .openSSL(.malformed, message: "Certificate \(count + 1) cannot be parsed.")
        }
        guard count > 0 else { throw CryptoError(.malformed, "The file contains no PEM certificates.") }
        return count
    }
}
