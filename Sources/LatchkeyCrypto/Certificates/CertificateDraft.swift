import COpenSSL
import LatchkeyModel

/// An unsigned certificate.
///
/// The draft owns an `X509`, which only one thread may use until it is signed.
final class CertificateDraft {
    private let pointer: OpaquePointer
    private let publicKey: VerifyingKey

    /// Creates a version 3 certificate for a key with a random 16-byte serial number.
    init(
        commonName: String,
        publicKey: VerifyingKey,
        notBefore: Timestamp,
        notAfter: Timestamp,
        random: some RandomSource
    ) throws(CryptoError) {
        guard notBefore < notAfter else {
            throw CryptoError(.malformed, "The validity period must end after it begins.")
        }
        guard let pointer = X509_new() else {
            throw .openSSL(.failed, message: "The certificate cannot be created.")
        }
        self.pointer = pointer
        self.publicKey = publicKey
        guard
            X509_set_version(pointer, 2) == 1,
            let subject = X509_get_subject_name(pointer)
        else { throw .openSSL(.failed, message: "The certificate cannot be created.") }
        try DistinguishedName.setCommonName(commonName, of: subject)
        try ValidityTime.set(X509_getm_notBefore(pointer), to: notBefore)
        try ValidityTime.set(X509_getm_notAfter(pointer), to: notAfter)
        try setPublicKey()
        try setSerial(random.bytes(16))
    }

    deinit {
        X509_free(pointer)
    }

    /// Adds an extension that is written in OpenSSL's configuration syntax.
    ///
    /// The value must be a constant and must never contain user input.
    ///
    /// If `issuer` is `nil`, the certificate is self-signed. Extensions that refer to the issuer then refer
    /// to the certificate itself.
    func addExtension(_ kind: Int32, value: StaticString, issuer: Certificate? = nil) throws(CryptoError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer?.handle.pointer ?? pointer, pointer, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, kind, "\(value)") else {
            throw .openSSL(.failed, message: "An extension cannot be created.")
        }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(pointer, made, -1) == 1 else {
            throw .openSSL(.failed, message: "An extension cannot be added.")
        }
    }

    /// Adds the identifiers as subject alternative names in the form `urn:uuid:…` (RFC 9562).
    func addAlternativeNames(_ identifiers: [Identifier]) throws(CryptoError) {
        // Identifiers consist of hexadecimal digits and dashes, so they cannot inject configuration syntax.
        let names = identifiers.map { "URI:urn:uuid:\($0)" }.joined(separator: ",")
        guard let made = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, names) else {
            throw .openSSL(.failed, message: "The subject alternative names cannot be created.")
        }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(pointer, made, -1) == 1 else {
            throw .openSSL(.failed, message: "The subject alternative names cannot be added.")
        }
    }

    /// Signs the certificate.
    ///
    /// If there is no issuer, the certificate is self-signed.
    ///
    /// The draft must not be used afterwards.
    func signed(by key: SigningKey, issuer: Certificate? = nil) throws(CryptoError) -> Certificate {
        let name = X509_get_subject_name(issuer?.handle.pointer ?? pointer)
        guard
            X509_set_issuer_name(pointer, name) == 1,
            X509_sign(pointer, key.handle.pointer, EVP_sha256()) > 0
        else { throw .openSSL(.failed, message: "The certificate cannot be signed.") }
        let der = try DER.encode { i2d_X509(pointer, $0) }
        X509_up_ref(pointer)
        return try Certificate(CertificateHandle(owning: pointer), der: der, publicKey: publicKey)
    }

    /// Sets the public key from its encoded point.
    ///
    /// We don't use `X509_set_pubkey` because it encodes the key and decodes it again, which takes as long as
    /// several signatures.
    private func setPublicKey() throws(CryptoError) {
        let point = publicKey.point
        guard let copy = CRYPTO_memdup(point, point.count, #file, #line) else {
            throw .openSSL(.failed, message: "The key cannot be set.")
        }
        let set = X509_PUBKEY_set0_param(
            X509_get_X509_PUBKEY(pointer),
            OBJ_nid2obj(NID_X9_62_id_ecPublicKey),
            V_ASN1_OBJECT,
            OBJ_nid2obj(NID_X9_62_prime256v1).map { UnsafeMutableRawPointer($0) },
            copy.assumingMemoryBound(to: UInt8.self),
            Int32(point.count)
        )
        guard set == 1 else {
            CRYPTO_free(copy, #file, #line)
            throw .openSSL(.failed, message: "The key cannot be set.")
        }
    }

    /// Sets the serial number from 16 random bytes.
    private func setSerial(_ random: [UInt8]) throws(CryptoError) {
        var bytes = random
        guard bytes.count == 16 else {
            throw CryptoError(.failed, "The random number generator returned no serial number.")
        }
        // We clear the sign bit and set the next bit so that the number is positive and always has 16 bytes.
        bytes[0] = bytes[0] & 0x7F | 0x40
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else {
            throw .openSSL(.failed, message: "The serial number cannot be created.")
        }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil else {
            throw .openSSL(.failed, message: "The serial number cannot be set.")
        }
    }
}
