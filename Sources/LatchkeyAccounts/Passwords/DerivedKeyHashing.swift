import LatchkeyCrypto
package import LatchkeyModel

/// Verifies passwords against scrypt and PBKDF2 hashes.
package struct DerivedKeyHashing: ForeignHashing {
    /// Creates a verifier, which has no state.
    package init() {}

    /// Verifies scrypt and PBKDF2 hashes, in constant time with regard to the digest.
    ///
    /// Returns `nil` for Argon2 and bcrypt hashes.
    ///
    /// - Throws: ``PasswordHasherError/outOfMemory``.
    package func matches(_ password: Secret, hash: StoredHash) throws(PasswordHasherError) -> Bool? {
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
            // The parameters were validated before, so that a lack of memory is the only remaining failure.
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

    /// Returns whether a password ends in NUL.
    ///
    /// HMAC pads its key with NULs, so that such a password would match the hash of the same one without
    /// them.
    private static func isPadded(_ password: Secret) -> Bool {
        password.exposed.utf8.last == 0
    }
}
