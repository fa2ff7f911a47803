import COpenSSL

/// SHA-1, for looking things up in lists that others have made with it; it protects nothing.
package enum SHA1 {
    /// The number of bytes of a hash.
    package static let byteCount = 20

    /// Hashes bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            _ = COpenSSL.SHA1(bytes, bytes.count, buffer.baseAddress)
            count = byteCount
        }
    }
}
