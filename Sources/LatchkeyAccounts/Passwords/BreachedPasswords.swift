package import LatchkeyModel

/// A list of passwords that were exposed in data breaches of other services.
package protocol BreachedPasswords: Sendable {
    /// Returns how often a password was found in data breaches.
    ///
    /// The list may be read from files on a separate thread.
    ///
    /// - Parameter password: The password in plain text and NFC. Implementations must not log or store the
    ///   password.
    /// - Returns: The number of occurrences, or 0 if the password isn't on the list.
    /// - Throws: An error if the list can't be read. In this case, new passwords are rejected, because
    ///   accepting them without a check would be unsafe.
    func occurrences(of password: Secret) async throws -> Int
}
