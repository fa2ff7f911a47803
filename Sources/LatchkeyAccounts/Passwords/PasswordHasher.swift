package import LatchkeyModel
package import LatchkeyServerKit

/// Hashes and verifies passwords on separate threads.
package protocol PasswordHasher: Sendable {
    /// Hashes a password with the configured parameters and a new random salt.
    ///
    /// The call waits in the hasher's queue without blocking the calling thread.
    ///
    /// - Returns: The hash as a PHC string (`$argon2id$v=19$m=…,t=…,p=…$…$…`).
    /// - Throws: ``PasswordHasherError``.
    func hash(_ password: Secret) async throws(PasswordHasherError) -> String

    /// Verifies a password against a stored hash.
    ///
    /// If there is no hash, the same work is done with a hash that no password matches, so that an unknown
    /// account cannot be distinguished from a wrong password.
    ///
    /// An imported hash is verified at its own cost; see ``DecoyHashes``.
    ///
    /// - Parameters:
    ///   - password: The password from the request.
    ///   - hash: The PHC string of the account; `nil` if the account is unknown or has no password.
    /// - Returns: Whether the password matches the hash; always ``PasswordVerdict/wrong`` without a hash.
    /// - Throws: ``PasswordHasherError``.
    func verify(_ password: Secret, against hash: String?) async throws(PasswordHasherError)
        -> PasswordVerdict
}

/// The result of verifying a password.
package enum PasswordVerdict: Sendable {
    /// The password does not match, or there is no hash.
    case wrong
    /// The password matches the hash.
    ///
    /// The value `outdated` is `true` if the parameters of the hash differ from the configured ones.
    case right(outdated: Bool)
}

/// An error that prevented a password from being hashed or verified.
///
/// It is unknown whether the password is correct, so the login attempt is not counted as a failure.
package enum PasswordHasherError: Error, Sendable {
    /// The queue is full; `retryAfter` is the number of seconds to wait.
    case overloaded(retryAfter: Int)
    /// The operating system did not provide the memory that the hash requires.
    case outOfMemory
}

extension PasswordHasherError: ServerErrorConvertible {
    /// The error for the client, which always has status 503 and the header field `Retry-After`.
    package var serverError: ServerError {
        switch self {
        case .overloaded(let retryAfter): .overloaded(retryAfter: retryAfter)
        case .outOfMemory: .overloaded()
        }
    }
}
