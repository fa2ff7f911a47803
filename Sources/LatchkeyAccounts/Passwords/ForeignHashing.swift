package import LatchkeyModel

/// A verifier of passwords against hashes from other systems.
///
/// Passwords are verified on the calling thread and at the full cost of the hash.
package protocol ForeignHashing: Sendable {
    /// Returns whether a password matches a hash, or `nil` if this verifier does not support hashes of this
    /// kind.
    ///
    /// The call blocks the calling thread until the hash is computed.
    ///
    /// - Throws: ``PasswordHasherError/outOfMemory`` if the system does not provide the memory that the hash
    ///   requires.
    func matches(_ password: Secret, hash: StoredHash) throws(PasswordHasherError) -> Bool?
}
