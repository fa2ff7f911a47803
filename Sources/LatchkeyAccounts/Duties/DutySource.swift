package import LatchkeyModel
package import LatchkeyServerKit

/// A reason for which accounts have duties.
///
/// whoami asks the sources in every request, and so does a transaction that uses up a token. A source therefore
/// answers from what it has cached.
package protocol DutySource: Sendable {
    /// Whether ``refresh()`` has to be called before ``duties(for:)``.
    var needsRefresh: Bool { get }

    /// Reads what the source caches.
    func refresh() async throws(DatabaseError)

    /// Returns the duties of an account, or an empty list if there are none.
    func duties(for question: DutyQuestion) -> [AccountDuty]
}

extension DutySource {
    package var needsRefresh: Bool { false }

    package func refresh() async throws(DatabaseError) {}
}

/// An account, and the circumstances on which its duties depend.
package struct DutyQuestion: Sendable {
    package let account: IdentityRecord
    /// The client of the session, or `nil` if the session has no client, or if the client was disabled or deleted.
    package let client: OAuthClient?
    package let now: Timestamp
}
