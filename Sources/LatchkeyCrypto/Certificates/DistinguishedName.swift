import COpenSSL

/// Functions to read and write the common name in an `X509_NAME`.
///
/// Latchkey uses no other name attributes.
enum DistinguishedName {
    /// Adds a common name to an `X509_NAME`.
    ///
    /// Throws `malformed` if the name is empty or has more than 64 characters.
    static func setCommonName(_ text: String, of name: OpaquePointer) throws(CryptoError) {
        let bytes = Array(text.utf8)
        guard
            !bytes.isEmpty, let count = Int32(exactly: bytes.count),
            X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, bytes, count, -1, 0) == 1
        else { throw .openSSL(.malformed, message: "The common name must have 1 to 64 characters.") }
    }

    /// Returns the first common name of an `X509_NAME`.
    ///
    /// The result is `nil` if there is no common name or if it is not valid UTF-8.
    static func commonName(of name: OpaquePointer?) -> String? {
        let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard
            index >= 0, let entry = X509_NAME_get_entry(name, index),
            let value = X509_NAME_ENTRY_get_data(entry)
        else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, value)
        defer { CRYPTO_free(text, #file, #line) }
        guard count >= 0, let text else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }
}
