package import LatchkeyModel
import LatchkeyServerKit

/// A check that rejects new passwords that are on the operator's list of breached passwords, if there is one.
package struct BreachCheck: Sendable {
    private let list: (any BreachedPasswords)?
    private let tolerated: Int

    /// Creates the check.
    ///
    /// - Parameters:
    ///   - list: The operator's list; `nil` to accept all passwords.
    ///   - tolerated: The number of times that an accepted password may occur in breaches.
    package init(list: (any BreachedPasswords)?, tolerated: Int) {
        self.list = list
        self.tolerated = tolerated
    }

    /// Returns the reason to reject a password, or `nil` if the password may be used or no list is
    /// configured.
    ///
    /// The list may be read from files, on a separate thread. The function is called after the checks of
    /// ``PasswordPolicy``, because it is the slowest check.
    ///
    /// - Throws: ``ServerError`` with status 503 if the list cannot be read.
    package func refusal(of password: Secret) async throws -> PasswordRefusal? {
        guard let list else { return nil }
        let count: Int
        do {
            count = try await list.occurrences(of: password)
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
