import CXCrypt
package import LatchkeyAccounts
import LatchkeyCrypto
package import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Verifies passwords against bcrypt hashes, using the operating system's `crypt_r`.
///
/// Only imported accounts have bcrypt hashes, because the server never creates such hashes itself.
package struct BcryptHashing: ForeignHashing {
    /// Creates a verifier.
    package init() {}

    /// Returns whether a password matches a bcrypt hash, or `nil` if the stored hash isn't a bcrypt hash.
    ///
    /// This method blocks the calling thread until the hash has been computed.
    ///
    /// Passwords that are longer than 72 bytes or contain a NUL never match.
    ///
    /// - Throws: ``PasswordHasherError/outOfMemory`` if the operating system cannot compute the hash.
    package func matches(_ password: Secret, hash: StoredHash) throws(PasswordHasherError) -> Bool? {
        guard case .bcrypt(let text) = hash else { return nil }
        let bytes = password.exposed.utf8
        let isWhole = bytes.count <= BcryptText.longestPassword && !bytes.contains(0)
        // bcrypt ignores everything after 72 bytes and `crypt` stops at a NUL, so such a password would match
        // if only its beginning were correct. We compute the hash anyway, so that the response time doesn't
        // reveal why the password was rejected.
        let computed = try Self.crypt(isWhole ? password.exposed : "", setting: text)
        return ConstantTime.equal(Array(computed.utf8), Array(text.utf8)) && isWhole
    }

    /// Hashes a password with the salt and cost of an existing hash.
    private static func crypt(_ password: String, setting: String) throws(PasswordHasherError) -> String {
        // The structure is about 32 KiB, which is too large for the stack. After the call, the structure
        // still contains the password, so we wipe it before freeing it.
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        defer {
            explicit_bzero(data, MemoryLayout<crypt_data>.size)
            data.deallocate()
        }
        memset(data, 0, MemoryLayout<crypt_data>.size)
        guard let computed = crypt_r(password, setting, data) else { throw .outOfMemory }
        return String(cString: computed)
    }
}
