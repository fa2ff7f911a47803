import COpenSSL
package import LatchkeyModel

/// Key derivation from passwords with the memory-hard function scrypt (RFC 7914).
package enum Scrypt {
    /// Derives a key on the calling thread, or returns `nil` if OpenSSL fails or there is not enough memory.
    ///
    /// The caller must limit `cost`, `blockSize` and `parallelism` because they determine how much memory is
    /// allocated.
    ///
    /// - Parameters:
    ///   - password: The password. All bytes of the password are used, including NUL.
    ///   - salt: The salt.
    ///   - cost: The cost parameter N, which must be a power of two greater than 1.
    ///   - blockSize: The block size parameter r.
    ///   - parallelism: The parallelization parameter p.
    ///   - count: The length of the key in bytes.
    /// - Returns: The derived key.
    package static func derive(
        _ password: Secret,
        salt: [UInt8],
        cost: Int,
        blockSize: Int,
        parallelism: Int,
        count: Int
    ) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: count)
        // We raise the memory limit because the parameters we accept need more than OpenSSL allows by
        // default. The caller has already limited the parameters.
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
