import COpenSSL

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The length of a hash in bytes.
    package static let byteCount = 32

    /// The hash algorithm.
    ///
    /// The algorithm is only fetched once.
    ///
    /// OpenSSL's one-shot function would look up the algorithm on each call, which takes as long as hashing a
    /// kilobyte.
    private static let algorithm = Algorithm()

    /// Returns the hash of a byte array.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            if EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, algorithm.pointer, nil) != 1 {
                _ = COpenSSL.SHA256(bytes, bytes.count, buffer.baseAddress)
            }
            count = byteCount
        }
    }
}

extension SHA256 {
    /// Owns an `EVP_MD` for the lifetime of the process.
    ///
    /// `@unchecked Sendable` is safe because OpenSSL never modifies a fetched algorithm.
    private final class Algorithm: @unchecked Sendable {
        let pointer = EVP_MD_fetch(nil, "SHA256", nil)
    }
}
