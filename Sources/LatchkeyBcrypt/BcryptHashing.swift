import CXCrypt
package import LatchkeyAccounts
import LatchkeyCrypto
package import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A verifier for bcrypt hashes, based on the operating system's `crypt_r`.
///
/// The verifier is used only for imported accounts, because the server does not create bcrypt hashes.
package struct BcryptHashing: ForeignHashing {
    /// Creates a verifier, which has no state.
    package init() {}

    /// Returns whether a password matches a bcrypt hash, or `nil` if the hash is not a bcrypt hash.
    ///
    /// Blocks the calling thread for the full cost of the hash.
    ///
    /// A password that is longer than 72 bytes or contains a NUL matches no hash.
    ///
    /// - Throws: ``PasswordHasherError/outOfMemory`` if the operating system cannot compute the hash.
    package func matches(_ password: Secret, hash: StoredHash) throws(PasswordHasherError) -> Bool? {
        guard case .bcrypt(let text) = hash else { return nil }
        let bytes = password.exposed.utf8
        let isWhole = bytes.count <= BcryptText.longestPassword && !bytes.contains(0)
        // bcrypt ignores bytes beyond the limit, and crypt stops at a NUL, so such a password would match
        // even if only its beginning were correct. The hash is computed nonetheless, so that the duration
        // does not reveal the rejection.
        let computed = try Self.crypt(isWhole ? password.exposed : "", setting: text)
        return ConstantTime.equal(Array(computed.utf8), Array(text.utf8)) && isWhole
    }

    /// Hashes a password with the salt and the cost of an existing hash.
    private static func crypt(_ password: String, setting: String) throws(PasswordHasherError) -> String {
        // The structure is about 32 KiB, too large for the stack. It contains the password after the call, so
        // it is wiped before it is freed.
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
