import COpenSSL
package import LatchkeyModel

/// A key derived from a password by much memory (RFC 7914).
package enum Scrypt {
    /// Derives a key on the calling thread; nothing when the library or the system refuses.
    package static func derive(
        _ password: Secret,
        salt: [UInt8],
        cost: Int,
        blockSize: Int,
        parallelism: Int,
        count: Int
    ) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: count)
        // The library's own bound is below what the parameters may ask for; theirs were checked by the caller.
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
