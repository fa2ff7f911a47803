import COpenSSL
package import LatchkeyModel

/// The derivation of keys from passwords with the memory-hard function scrypt (RFC 7914).
package enum Scrypt {
    /// Derives a key on the calling thread, or returns `nil` if OpenSSL fails or memory runs out.
    ///
    /// The caller must bound `cost`, `blockSize` and `parallelism`, because they determine how much memory is
    /// allocated.
    ///
    /// - Parameters:
    ///   - password: The password; all of its bytes are used, including NUL.
    ///   - salt: The salt.
    ///   - cost: The cost N, a power of two greater than 1.
    ///   - blockSize: The block size r.
    ///   - parallelism: The parallelization p.
    ///   - count: The length of the key in bytes.
    /// - Returns: The key, `count` bytes long.
    package static func derive(
        _ password: Secret,
        salt: [UInt8],
        cost: Int,
        blockSize: Int,
        parallelism: Int,
        count: Int
    ) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: count)
        // The accepted parameters need more memory than OpenSSL allows by default. The caller has bounded
        // them.
        let memory = UInt64(128 * blockSize * (cost + parallelism + 2))
        var text = password.exposed
        let result = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                EVP_PBE_scrypt(
                    bytes.baseAddress,
                    bytes.count,
                    salt,
                    salt.count,
                    UInt64(cost),
                    UInt64(blockSize),
                    UInt64(parallelism),
                    memory,
                    &key,
                    count
                )
            }
        }
        guard result == 1 else {
            ERR_clear_error()
            return nil
        }
        return key
    }
}
