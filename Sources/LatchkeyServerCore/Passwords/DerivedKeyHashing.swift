import LatchkeyCrypto
package import LatchkeyModel

/// Checks passwords against hashes of scrypt and PBKDF2.
package struct DerivedKeyHashing: ForeignHashing {
    package init() {}

    package func matches(_ password: Secret, _ hash: StoredHash) throws(PasswordHasherError) -> Bool? {
        switch hash {
        case .argon2, .bcrypt: return nil
        case .scrypt(let hash):
            let digest = Scrypt.derive(
                password,
                salt: hash.salt,
                cost: hash.cost,
                blockSize: hash.blockSize,
                parallelism: hash.parallelism,
                count: hash.digest.count
            )
            // The parameters were checked before, so that memory is what is left to be refused.
            guard let digest else { throw .outOfMemory }
            return ConstantTime.equal(digest, hash.digest) && !Self.isPadded(password)
        case .pbkdf2(let hash):
            let digest = PBKDF2.derive(
                password,
                salt: hash.salt,
                function: hash.function,
                rounds: hash.rounds,
                count: hash.digest.count
            )
            guard let digest else { throw .outOfMemory }
            return ConstantTime.equal(digest, hash.digest) && !Self.isPadded(password)
        }
    }

    /// Whether a password ends in a NUL: HMAC pads its key with them, and both would be one to it.
    private static func isPadded(_ password: Secret) -> Bool {
        password.exposed.utf8.last == 0
    }
}
