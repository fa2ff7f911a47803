package import LatchkeyModel
import LatchkeyServerKit

/// Refuses new passwords that are known from data breaches, if the operator has configured a list of them.
package struct BreachCheck: Sendable {
    private let list: (any BreachedPasswords)?
    private let tolerated: Int

    /// Creates the check.
    ///
    /// - Parameters:
    ///   - list: The list of the operator; `nil` accepts all passwords.
    ///   - tolerated: The number of occurrences up to which a password is accepted.
    package init(list: (any BreachedPasswords)?, tolerated: Int) {
        self.list = list
        self.tolerated = tolerated
    }

    /// Returns the reason to refuse a password; `nil` if it may be used or no list is configured.
    ///
    /// The list may be read from files, on a thread of its own. The check comes last, after those of
    /// ``PasswordPolicy``, because it is the slowest one.
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
                reason: "New passwords cannot be checked at the moment. Try again later.",
                retryAfter: 60
            )
        }
        return count > tolerated ? .breached : nil
    }
}
