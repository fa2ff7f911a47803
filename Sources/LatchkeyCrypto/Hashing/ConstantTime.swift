import COpenSSL

/// Comparisons that take constant time.
package enum ConstantTime {
    /// Returns whether two byte arrays are equal.
    ///
    /// The time this takes only depends on the lengths of the arrays.
    ///
    /// Always use this function to compare MACs and tokens. The duration of an ordinary comparison reveals
    /// how many leading bytes are equal.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
