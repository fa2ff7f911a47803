package import LatchkeyModel
package import LatchkeyServerKit

/// Hashes and verifies passwords on separate threads.
package protocol PasswordHasher: Sendable {
    /// Hashes a password in NFC with the configured parameters and a new random salt.
    ///
    /// The calling task waits in the hasher's queue without blocking its thread.
    ///
    /// - Returns: The hash as a PHC string (`$argon2id$v=19$m=…,t=…,p=…$…$…`).
    /// - Throws: ``PasswordHasherError``.
    func hash(_ password: Secret) async throws(PasswordHasherError) -> String

    /// Verifies a password against a stored hash.
    ///
    /// If there is no hash, we do the same amount of work with a hash that no password matches. Otherwise,
    /// the response time would reveal whether the account exists.
    ///
    /// The password is compared in each of its forms (``LatchkeyModel/Secret/spellings``) until one matches.
    /// An ASCII password has only one form. A wrong password takes the same amount of work with every hash.
    ///
    /// An imported hash determines its own parameters, so verifying it may take longer or less time than
    /// verifying our own hashes (see ``DecoyHashes``).
    ///
    /// - Parameters:
    ///   - password: The password from the request.
    ///   - hash: The account's hash as a PHC string, or `nil` if the account is unknown or has no password.
    /// - Returns: Whether the password matches the hash. Always ``PasswordVerdict/wrong`` if there is no
    ///   hash.
    /// - Throws: ``PasswordHasherError``.
    func verify(_ password: Secret, against hash: String?) async throws(PasswordHasherError)
        -> PasswordVerdict
}

/// The result of verifying a password.
package enum PasswordVerdict: Sendable {
    /// The password doesn't match, or there is no hash.
    case wrong
    /// The password matches the hash.
    ///
    /// `outdated` is `true` if the hash was created with parameters that differ from the configured ones, or
    /// from a password that isn't in NFC.
    case right(outdated: Bool)
}

/// Thrown when a password could not be hashed or verified.
///
/// We don't know whether the password is correct, so we don't count the login attempt as a failure.
package enum PasswordHasherError: Error, Sendable {
    /// The queue is full.
    ///
    /// `retryAfter` is the number of seconds to wait.
    case overloaded(retryAfter: Int)
    /// The operating system couldn't provide the memory that the hash requires.
    case outOfMemory
}

extension PasswordHasherError: ServerErrorConvertible {
    /// The error that is returned to the client.
    ///
    /// The response always has status 503 and a `Retry-After` header field.
    package var serverError: ServerError {
        switch self {
        case .overloaded(let retryAfter): .overloaded(retryAfter: retryAfter)
        case .outOfMemory: .overloaded()
        }
    }
}
