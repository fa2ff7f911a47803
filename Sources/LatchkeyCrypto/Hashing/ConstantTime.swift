import COpenSSL

/// Comparison whose time tells nothing about the bytes.
package enum ConstantTime {
    /// Tells whether two byte sequences are equal; only their lengths show in the time it takes.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
