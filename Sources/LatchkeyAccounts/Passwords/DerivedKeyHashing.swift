import LatchkeyCrypto
package import LatchkeyModel

/// Verifies passwords against scrypt and PBKDF2 hashes.
package struct DerivedKeyHashing: ForeignHashing {
    /// Creates a verifier.
    package init() {}

    /// Verifies a password against an scrypt or PBKDF2 hash, comparing the digests in constant time.
    ///
    /// - Returns: Whether the password matches, or `nil` if the hash is an Argon2 or bcrypt hash.
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
            // The parameters have already been validated, so the only reason to fail is a lack of memory.
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

    /// Returns whether a password ends with a NUL character.
    ///
    /// HMAC pads its key with NULs. Without this check, a password followed by NULs would match the hash of
    /// the password itself.
    private static func isPadded(_ password: Secret) -> Bool {
        password.exposed.utf8.last == 0
    }
}
