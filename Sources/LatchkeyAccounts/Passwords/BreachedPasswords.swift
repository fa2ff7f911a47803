package import LatchkeyModel

/// A list of passwords that were exposed in data breaches of other services.
package protocol BreachedPasswords: Sendable {
    /// Returns how often a password was found in breaches.
    ///
    /// The list may be read from files, on a separate thread.
    ///
    /// - Parameter password: The password in plain text; implementations must not log or store it.
    /// - Returns: The number of occurrences; 0 if the list does not contain the password.
    /// - Throws: An error if the list cannot be read. New passwords are then rejected instead of being
    ///   accepted unchecked.
    func occurrences(of password: Secret) async throws -> Int
}
