package import LatchkeyModel

/// Hashes passwords and checks them, on threads of its own.
package protocol PasswordHasher: Sendable {
    /// Hashes a password with the configured parameters and a fresh salt.
    ///
    /// - Returns: The PHC string (`$argon2id$v=19$m=…,t=…,p=…$…$…`).
    /// - Throws: ``PasswordHasherError``.
    func hash(_ password: Secret) async throws(PasswordHasherError) -> String

    /// Checks a password against a PHC string.
    ///
    /// With no hash to check against it does the same work on one that nothing matches, so that an
    /// unknown account cannot be told from a wrong password.
    ///
    /// A hash that was imported is checked at its own cost; see ``DecoyHashes``.
    func verify(_ password: Secret, against hash: String?) async throws(PasswordHasherError)
        -> PasswordVerdict
}

/// The outcome of checking a password.
package enum PasswordVerdict: Sendable {
    case wrong
    /// Right; `outdated` when the hash was made with other parameters than the configured ones.
    case right(outdated: Bool)
}

/// A password that could not be hashed or checked.
package enum PasswordHasherError: Error, Sendable {
    /// The queue is full; try again after this many seconds.
    case overloaded(retryAfter: Int)
    /// The system refused the memory.
    case outOfMemory
}
