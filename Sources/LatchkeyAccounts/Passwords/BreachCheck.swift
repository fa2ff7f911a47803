package import LatchkeyModel
import LatchkeyServerKit

/// Rejects new passwords that are on the operator's list of breached passwords, if there is a list.
package struct BreachCheck: Sendable {
    private let list: (any BreachedPasswords)?
    private let tolerated: Int

    /// Whether there is a list.
    package var isEnabled: Bool { list != nil }

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - list: The operator's list of breached passwords, or `nil` to accept all passwords.
    ///   - tolerated: How often a password may occur in breaches and still be accepted.
    package init(list: (any BreachedPasswords)?, tolerated: Int) {
        self.list = list
        self.tolerated = tolerated
    }

    /// Returns the reason to reject a password, or `nil` if the password may be used or no list is
    /// configured.
    ///
    /// The list may be read from files on a separate thread. The breach check is the slowest check, so call
    /// this method after the ``PasswordPolicy`` checks.
    ///
    /// - Throws: ``ServerError`` with status 503 if the list can't be read.
    package func refusal(of password: Secret) async throws -> PasswordRefusal? {
        guard let list else { return nil }
        let count: Int
        do {
            count = try await list.occurrences(of: password.composed)
        } catch {
            throw ServerError(
                503,
                reason: "New passwords cannot be checked right now. Try again later.",
                retryAfter: 60
            )
        }
        return count > tolerated ? .breached : nil
    }
}
