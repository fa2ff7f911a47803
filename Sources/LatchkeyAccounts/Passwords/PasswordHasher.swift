package import LatchkeyModel
package import LatchkeyServerKit

/// A hasher and verifier of passwords, which runs on separate threads.
package protocol PasswordHasher: Sendable {
    /// Hashes a password with the configured parameters and a new random salt.
    ///
    /// - Returns: The PHC string (`$argon2id$v=19$m=…,t=…,p=…$…$…`).
    /// - Throws: ``PasswordHasherError``.
    func hash(_ password: Secret) async throws(PasswordHasherError) -> String

    /// Verifies a password against a stored hash.
    ///
    /// Without a hash, the same work is done on a hash that no password matches, so that an unknown account
    /// cannot be distinguished from a wrong password.
    ///
    /// An imported hash is verified at its own cost; see ``DecoyHashes``.
    func verify(_ password: Secret, against hash: String?) async throws(PasswordHasherError)
        -> PasswordVerdict
}

/// The result of verifying a password.
package enum PasswordVerdict: Sendable {
    case wrong
    /// The password matches; `outdated` is `true` if the parameters of the hash differ from the configured
    /// ones.
    case right(outdated: Bool)
}

/// The error that a password could not be hashed or verified.
package enum PasswordHasherError: Error, Sendable {
    /// The queue is full; `retryAfter` is the number of seconds to wait.
    case overloaded(retryAfter: Int)
    /// The operating system did not provide the memory that the hash needs.
    case outOfMemory
}

extension PasswordHasherError: ServerErrorConvertible {
    package var serverError: ServerError {
        switch self {
        case .overloaded(let retryAfter): .overloaded(retryAfter: retryAfter)
        case .outOfMemory: .overloaded()
        }
    }
}
