package import LatchkeyModel

/// Verifies passwords against hashes that were created by other systems.
///
/// Passwords are verified on the calling thread, at the full cost of the hash.
package protocol ForeignHashing: Sendable {
    /// Returns whether a password matches a hash, or `nil` if this kind of hash isn't supported.
    ///
    /// This method blocks the calling thread until the hash has been computed.
    ///
    /// - Throws: ``PasswordHasherError/outOfMemory`` if the system can't provide the memory that the hash
    ///   requires.
    func matches(_ password: Secret, hash: StoredHash) throws(PasswordHasherError) -> Bool?
}
