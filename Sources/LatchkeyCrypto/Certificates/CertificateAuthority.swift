import COpenSSL
package import LatchkeyModel

/// A certificate authority that issues certificates for device keys.
package struct CertificateAuthority: Sendable {
    /// The authority's own certificate.
    ///
    /// This certificate is used to verify the certificates that the authority issues.
    package let certificate: Certificate

    private let key: SigningKey

    /// Creates an authority with a new key and a self-signed certificate.
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name, which must have 1 to 64 characters.
    ///   - notBefore: The start of the validity period.
    ///   - notAfter: The last second of the validity period. The authority never issues a certificate that
    ///     expires later.
    ///   - random: The random source for the serial number.
    /// - Returns: The new authority. Call ``keyPEM()`` to get the key and save it.
    /// - Throws: ``CryptoError/Code/malformed`` if the name or a time cannot be encoded in a certificate.
    package static func make(
        commonName: String,
        notBefore: Timestamp,
        notAfter: Timestamp,
        random: some RandomSource = SystemRandom()
    ) throws(CryptoError) -> CertificateAuthority {
        let key = try SigningKey.generate()
        let draft = try CertificateDraft(
            commonName: commonName,
            publicKey: key.publicKey,
            notBefore: notBefore,
            notAfter: notAfter,
            random: random
        )
        try draft.addExtension(NID_basic_constraints, value: "critical,CA:TRUE,pathlen:0")
        try draft.addExtension(NID_key_usage, value: "critical,keyCertSign,cRLSign")
        try draft.addExtension(NID_subject_key_identifier, value: "hash")
        return CertificateAuthority(certificate: try draft.signed(by: key), key: key)
    }

    private init(certificate: Certificate, key: SigningKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Loads an existing authority.
    ///
    /// - Throws: ``CryptoError/Code/mismatch`` if the key does not belong to the certificate, or
    ///   ``CryptoError/Code/unsupported`` if the certificate is not allowed to sign certificates.
    package init(keyPEM: Secret, certificatePEM: String) throws(CryptoError) {
        key = try SigningKey(pkcs8PEM: keyPEM)
        certificate = try Certificate(pem: certificatePEM)
        guard key.publicKey == certificate.publicKey else {
            throw CryptoError(
                .mismatch,
                "The certificate authority's key does not match its certificate."
            )
        }
        guard
            X509_check_ca(certificate.handle.pointer) == 1,
            X509_get_key_usage(certificate.handle.pointer) & UInt32(KU_KEY_CERT_SIGN) != 0
        else {
            throw .openSSL(
                .unsupported,
                message: "The certificate authority's certificate is not allowed to sign certificates."
            )
        }
    }

    /// Returns the private key as PKCS#8 in PEM format so that it can be saved.
    ///
    /// The key is not encrypted, so only the file's owner should be allowed to read it.
    ///
    /// - Returns: The private key, which ``init(keyPEM:certificatePEM:)`` needs to restore the authority.
    /// - Throws: ``CryptoError/Code/failed`` if OpenSSL fails.
    package func keyPEM() throws(CryptoError) -> Secret {
        try key.pkcs8PEM()
    }

    /// Issues a certificate for TLS clients.
    ///
    /// Only the key in the request is used. The subject and extensions in the request are ignored.
    ///
    /// - Parameters:
    ///   - request: The certificate signing request, whose signature has already been verified.
    ///   - identity: The identity's id, which the certificate contains as the common name and, in the form
    ///     `urn:uuid:…`, as the first alternative name.
    ///   - device: The device's id, which the certificate contains as the second alternative name.
    ///   - notBefore: The start of the validity period.
    ///   - notAfter: The last second of the validity period. If the authority's certificate expires earlier,
    ///     its expiry is used instead.
    ///   - random: The random source for the serial number.
    /// - Returns: The signed certificate.
    /// - Throws: ``CryptoError/Code/malformed`` if the validity period is empty.
    package func issue(
        _ request: CertificateSigningRequest.Verified,
        identity: Identifier,
        device: Identifier,
        notBefore: Timestamp,
        notAfter: Timestamp,
        random: some RandomSource = SystemRandom()
    ) throws(CryptoError) -> Certificate {
        let draft = try CertificateDraft(
            commonName: identity.description,
            publicKey: request.publicKey,
            notBefore: notBefore,
            notAfter: min(notAfter, certificate.notAfter),
            random: random
        )
        try draft.addExtension(NID_basic_constraints, value: "critical,CA:FALSE")
        try draft.addExtension(NID_key_usage, value: "critical,digitalSignature")
        try draft.addExtension(NID_ext_key_usage, value: "clientAuth")
        try draft.addExtension(NID_subject_key_identifier, value: "hash")
        try draft.addExtension(NID_authority_key_identifier, value: "keyid:always", issuer: certificate)
        try draft.addAlternativeNames([identity, device])
        return try draft.signed(by: key, issuer: certificate)
    }
}
