package import LatchkeyModel

/// Checks passwords against hashes that other systems made, on the calling thread and at their full cost.
package protocol ForeignHashing: Sendable {
    /// Tells whether a password is the one of a hash; nothing when the hash is of a kind for others.
    func matches(_ password: Secret, _ hash: StoredHash) throws(PasswordHasherError) -> Bool?
}
