import COpenSSL

/// Comparison in constant time.
package enum ConstantTime {
    /// Returns whether two byte sequences are equal; the time depends on their lengths only.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
