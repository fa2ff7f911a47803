import CXCrypt
import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Checks passwords against hashes of bcrypt, with the operating system's `crypt_r`.
package struct BcryptHashing: ForeignHashing {
    package init() {}

    package func matches(_ password: Secret, _ hash: StoredHash) throws(PasswordHasherError) -> Bool? {
        guard case .bcrypt(let text) = hash else { return nil }
        let bytes = password.exposed.utf8
        let isWhole = bytes.count <= BcryptText.longestPassword && !bytes.contains(0)
        // bcrypt looks at no more bytes than these, and crypt at none behind a NUL: a password that goes on would
        // match by its beginning alone. The work is done all the same.
        let computed = try Self.crypt(isWhole ? password.exposed : "", text)
        return ConstantTime.equal(Array(computed.utf8), Array(text.utf8)) && isWhole
    }

    /// The hash of a password with the salt and the cost of another hash.
    private static func crypt(_ password: String, _ setting: String) throws(PasswordHasherError) -> String {
        // Some 32 KiB that hold the password when it is done: too much for the stack, and wiped before they go.
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
