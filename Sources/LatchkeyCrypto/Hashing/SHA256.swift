import COpenSSL

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The number of bytes of a hash.
    package static let byteCount = 32

    /// OpenSSL's own short way looks this up anew at each call, which takes as long as to hash a kilobyte.
    private static let algorithm = Algorithm()

    /// Hashes bytes.
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
    /// Owns an `EVP_MD` for as long as the process runs.
    ///
    /// `@unchecked Sendable`: OpenSSL never changes an algorithm that was fetched.
    private final class Algorithm: @unchecked Sendable {
        let pointer = EVP_MD_fetch(nil, "SHA256", nil)
    }
}
