import COpenSSL
package import LatchkeyModel

/// Key derivation from passwords with PBKDF2 (RFC 8018, section 5.2), which iterates an HMAC.
package enum PBKDF2 {
    /// The hash function used by the HMAC.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        case sha1, sha224, sha256, sha384, sha512

        /// The length of the hash function's output in bytes.
        package var outputSize: Int {
            switch self {
            case .sha1: 20
            case .sha224: 28
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    /// Derives a key on the calling thread, or returns `nil` if OpenSSL fails.
    ///
    /// This blocks the thread for a time that is proportional to `rounds`.
    ///
    /// - Parameters:
    ///   - password: The password. All bytes of the password are used, including NUL.
    ///   - salt: The salt.
    ///   - function: The hash function used by the HMAC.
    ///   - rounds: The number of iterations, at least 1.
    ///   - count: The length of the key in bytes.
    /// - Returns: The derived key.
    package static func derive(
        _ password: Secret,
        salt: [UInt8],
        function: Function,
        rounds: Int,
        count: Int
    ) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: count)
        var text = password.exposed
        let result = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                PKCS5_PBKDF2_HMAC(
                    bytes.baseAddress,
                    Int32(bytes.count),
                    salt,
                    Int32(salt.count),
                    Int32(rounds),
                    digest(function),
                    Int32(count),
                    &key
                )
            }
        }
        guard result == 1 else {
            ERR_clear_error()
            return nil
        }
        return key
    }

    private static func digest(_ function: Function) -> OpaquePointer? {
        switch function {
        case .sha1: EVP_sha1()
        case .sha224: EVP_sha224()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}
