import COpenSSL
package import LatchkeyModel

/// Certifies the keys of devices.
package struct CertificateAuthority: Sendable {
    /// The certificate that others need to verify what is issued.
    package let certificate: Certificate

    private let key: SigningKey

    /// Makes an authority with a fresh key.
    ///
    /// - Parameters:
    ///   - commonName: Its name, of 1 to 64 characters.
    ///   - notBefore: The first moment of its validity.
    ///   - notAfter: The last second of its validity; what it issues should end earlier.
    ///   - random: Where the serial number comes from.
    /// - Returns: The authority; its key is to be kept with ``keyPEM()``.
    /// - Throws: ``CryptoError/Code/malformed`` when the name or a time cannot stand in a certificate.
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
        try draft.addExtension(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try draft.addExtension(NID_key_usage, "critical,keyCertSign,cRLSign")
        try draft.addExtension(NID_subject_key_identifier, "hash")
        return CertificateAuthority(certificate: try draft.signed(by: key), key: key)
    }

    private init(certificate: Certificate, key: SigningKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Loads an authority that was made before.
    ///
    /// - Throws: ``CryptoError/Code/mismatch`` when the key is not that of the certificate,
    ///   ``CryptoError/Code/unsupported`` when the certificate may not sign others.
    package init(keyPEM: Secret, certificatePEM: String) throws(CryptoError) {
        key = try SigningKey(pkcs8PEM: keyPEM)
        certificate = try Certificate(pem: certificatePEM)
        guard key.publicKey == certificate.publicKey else {
            throw CryptoError(.mismatch, "The key of the authority is not that of its certificate.")
        }
        guard
            X509_check_ca(certificate.handle.pointer) == 1,
            X509_get_key_usage(certificate.handle.pointer) & UInt32(KU_KEY_CERT_SIGN) != 0
        else { throw .openSSL(.unsupported, "The certificate of the authority may not sign others.") }
    }

    /// The private key, to be kept.
    package func keyPEM() throws(CryptoError) -> Secret {
        try key.pkcs8PEM()
    }

    /// Issues a certificate for TLS clients.
    ///
    /// Of the request only the key counts: whatever else it asks for is the requester's wish.
    ///
    /// - Parameters:
    ///   - request: The request, its signature checked.
    ///   - identity: The subject: its common name and an alternative name, `urn:uuid:…`.
    ///   - device: The device, the second alternative name.
    ///   - notBefore: The first moment of its validity.
    ///   - notAfter: The last second of its validity; cut off at the authority's own.
    ///   - random: Where the serial number comes from.
    /// - Returns: The certificate.
    /// - Throws: ``CryptoError/Code/malformed`` when the validity is none.
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
        try draft.addExtension(NID_basic_constraints, "critical,CA:FALSE")
        try draft.addExtension(NID_key_usage, "critical,digitalSignature")
        try draft.addExtension(NID_ext_key_usage, "clientAuth")
        try draft.addExtension(NID_subject_key_identifier, "hash")
        try draft.addExtension(NID_authority_key_identifier, "keyid:always", issuer: certificate)
        try draft.addAlternativeNames([identity, device])
        return try draft.signed(by: key, issuer: certificate)
    }
}
