import COpenSSL

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The number of bytes of a hash.
    package static let byteCount = 32

    /// Hashes bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            _ = COpenSSL.SHA256(bytes, bytes.count, buffer.baseAddress)
            count = byteCount
        }
    }
}
