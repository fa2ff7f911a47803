import COpenSSL
package import LatchkeyModel

/// An X.509 certificate (RFC 5280) for a P-256 key.
package struct Certificate: Sendable {
    private static let label = "CERTIFICATE"

    let handle: CertificateHandle

    /// The certificate in DER encoding.
    package let der: [UInt8]

    /// The serial number in big-endian byte order, without leading zeros.
    package let serial: [UInt8]

    /// The start of the validity period.
    package let notBefore: Timestamp

    /// The last second of the validity period.
    package let notAfter: Timestamp

    /// The public key that the certificate certifies.
    package let publicKey: VerifyingKey

    /// Parses a certificate from PEM text that contains exactly one block and is at most 16 KiB long.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if the text is not such a block, or
    ///   ``CryptoError/Code/unsupported`` if the key is not a P-256 key.
    package init(pem: String) throws(CryptoError) {
        try self.init(der: PEM(pem, label: Self.label, limit: 16 * 1024).der)
    }

    /// Parses a certificate from DER.
    ///
    /// This does not verify the certificate's signature.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if there are trailing bytes or invalid fields, or
    ///   ``CryptoError/Code/unsupported`` if the key is not a P-256 key.
    package init(der: [UInt8]) throws(CryptoError) {
        let handle = try CertificateHandle(der: der)
        guard let key = X509_get_pubkey(handle.pointer) else {
            throw .openSSL(.unsupported, message: "The certificate's key cannot be decoded.")
        }
        let publicKey = try VerifyingKey(
            KeyHandle(owning: key),
            encoding: X509_get_X509_PUBKEY(handle.pointer)
        )
        try self.init(handle, der: der, publicKey: publicKey)
    }

    /// Creates a certificate from a handle that has just been parsed or signed.
    init(_ handle: CertificateHandle, der: [UInt8], publicKey: VerifyingKey) throws(CryptoError) {
        self.handle = handle
        self.der = der
        self.publicKey = publicKey
        serial = try Self.serial(of: handle.pointer)
        notBefore = try ValidityTime.timestamp(of: X509_get0_notBefore(handle.pointer))
        notAfter = try ValidityTime.timestamp(of: X509_get0_notAfter(handle.pointer))
    }

    /// The certificate in PEM encoding.
    package var pem: String { PEM(label: Self.label, der: der).text }

    /// The serial number in lowercase hexadecimal.
    package var serialNumber: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = serial.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The subject's first common name, or `nil` if there is none.
    package var commonName: String? {
        DistinguishedName.commonName(of: X509_get_subject_name(handle.pointer))
    }

    /// Reads the serial number.
    ///
    /// Throws `malformed` if the serial number is not positive.
    private static func serial(of certificate: OpaquePointer) throws(CryptoError) -> [UInt8] {
        guard
            let integer = X509_get0_serialNumber(certificate),
            integer.pointee.length > 0, integer.pointee.type == V_ASN1_INTEGER
        else { throw CryptoError(.malformed, "The certificate has no positive serial number.") }
        return Array(UnsafeBufferPointer(start: integer.pointee.data, count: Int(integer.pointee.length)))
    }
}
