import COpenSSL

/// The hash function SHA-1.
///
/// SHA-1 is not secure. We only use SHA-1 for lookups in third-party lists that are indexed by SHA-1 hashes.
package enum SHA1 {
    /// The length of a hash in bytes.
    package static let byteCount = 20

    /// Returns the hash of a byte array.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            _ = COpenSSL.SHA1(bytes, bytes.count, buffer.baseAddress)
            count = byteCount
        }
    }
}
