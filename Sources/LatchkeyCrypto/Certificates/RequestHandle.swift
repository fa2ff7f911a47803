import COpenSSL

/// Owns an `X509_REQ`.
///
/// `@unchecked Sendable` is safe because the request is never modified after it has been parsed from DER.
final class RequestHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Parses a request from DER.
    ///
    /// Throws `malformed` if there are trailing bytes.
    init(der: [UInt8]) throws(CryptoError) {
        guard let request = DER.decode(der, with: { d2i_X509_REQ(nil, $0, $1) }, free: { X509_REQ_free($0) })
        else {
            throw .openSSL(.malformed, message: "The text does not contain a certificate signing request.")
        }
        pointer = request
    }

    deinit {
        X509_REQ_free(pointer)
    }
}
