package import LatchkeyModel

/// Knows the passwords that came to light when other services were broken into.
package protocol BreachedPasswords: Sendable {
    /// How often a password has come to light; may read files, on a thread of its own.
    ///
    /// - Throws: When the list cannot be read; then nobody may set a password, rather than a bad one.
    func occurrences(of password: Secret) async throws -> Int
}
