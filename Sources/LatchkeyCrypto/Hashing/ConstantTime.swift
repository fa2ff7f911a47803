import COpenSSL

/// Comparisons that take constant time.
package enum ConstantTime {
    /// Returns whether two byte sequences are equal, in a time that depends only on their lengths.
    ///
    /// MACs and tokens must be compared with this function, because the duration of an ordinary comparison
    /// reveals how many leading bytes are equal.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
